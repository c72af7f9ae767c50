// What every mechanism of ring must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ring/ring.hpp"
#include "support/failures.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::ring {
namespace {

using tests::kForEver;
using tests::kMillisecond;
using tests::Variant;

constexpr std::size_t kProducer = 0;
constexpr std::size_t kConsumer = 1;

using Given = std::map<std::string, contract::Param>;

Given given(std::initializer_list<std::pair<const char*, std::int64_t>> numbers) {
  Given all;
  for (const auto& [name, number] : numbers) all[name] = number;
  return all;
}

bool has(const Variant& variant, std::string_view param) { return variant.params().has(param); }

std::uint64_t sum(const contract::Distribution& distribution) {
  std::uint64_t all = 0;
  for (const auto& [value, count] : distribution.counts) all += value * count;
  return all;
}

/// Producers and consumers of one line, each in a thread of its own: the first two, and more of either.
class Players : public tests::Players {
 public:
  Players(const Variant& variant, const Given& given, std::size_t threads = 2)
      : tests::Players(variant.loops(1, threads, given)), threads_(threads) {}

  [[nodiscard]] bool is_producer(std::size_t thread) const { return loops->counted(thread); }

  /// Lets each producer send so many messages and leave, and each consumer take all that comes.
  void stream(std::uint64_t count) {
    for (std::size_t thread = 0; thread < threads_; ++thread)
      start([this, thread, count] {
        if (is_producer(thread))
          EXPECT_GE(loops->plain(thread, 0, count), count);
        else
          EXPECT_LT(loops->plain(thread, 0, kForEver), kForEver);
        loops->leave(thread, 0);
      });
  }

  [[nodiscard]] std::uint64_t found() const { return loops->counts(0).at("messages").found; }

 private:
  const std::size_t threads_;
};

class RingConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, RingConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

TEST_P(RingConformance, LosesNoMessageOfAnySize) {
  constexpr std::uint64_t kMessages = 3000;
  for (const std::int64_t payload : {0, 1, 6, 7, 126}) {
    SCOPED_TRACE(payload);
    Players players(GetParam(), given({{"size", 16}, {"payload", payload}}));
    players.stream(kMessages);
    ASSERT_TRUE(players.end()) << "a message was lost";
    const contract::Held messages = players.loops->counts(1234).at("messages");
    EXPECT_EQ(messages.found, kMessages);
    EXPECT_EQ(messages.made, 1234U);
    EXPECT_TRUE(messages.exact);
  }
}

TEST_P(RingConformance, LosesNoMessageWhereFewAreInFlight) {
  constexpr std::uint64_t kMessages = 200;
  for (const std::int64_t in_flight : {1, 3}) {
    Players players(GetParam(), given({{"size", 16}, {"in-flight", in_flight}}));
    players.stream(kMessages);
    ASSERT_TRUE(players.end()) << "a message was lost";
    EXPECT_EQ(players.found(), kMessages);
  }
}

TEST_P(RingConformance, LosesNoMessageOfABatch) {
  constexpr std::uint64_t kMessages = 1000;
  if (!has(GetParam(), "batch")) return;
  for (const std::int64_t in_flight : {0, 25}) {
    Players players(GetParam(), given({{"size", 64}, {"batch", 10}, {"in-flight", in_flight}}));
    players.stream(kMessages);
    ASSERT_TRUE(players.end());
    EXPECT_EQ(players.found(), kMessages);
  }
}

/// Few messages: where there are more threads than CPUs, each of a spinning one may cost a time slice.
TEST_P(RingConformance, LosesNoMessageOfOrToSeveral) {
  constexpr std::uint64_t kMessages = 50;
  for (const char* many : {"producers", "consumers"}) {
    if (!has(GetParam(), many)) continue;
    SCOPED_TRACE(many);
    for (const std::int64_t in_flight : {0, 8}) {
      Players players(GetParam(), given({{"size", 16}, {many, 3}, {"in-flight", in_flight}}), 4);
      players.stream(kMessages);
      ASSERT_TRUE(players.end());
      EXPECT_EQ(players.found(), (std::string_view(many) == "producers" ? 3 : 1) * kMessages);
    }
  }
}

TEST_P(RingConformance, KnowsWhoIsWho) {
  const auto roles = [](const engine::Loops& loops, std::size_t threads) {
    std::string all;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const bool is_producer = loops.role(thread, 2) == 0;
      EXPECT_EQ(loops.counted(thread), is_producer) << "only what is sent counts";
      EXPECT_EQ(loops.times_all(thread), !is_producer);
      all += is_producer ? 'p' : 'c';
    }
    return all;
  };
  EXPECT_EQ(roles(*GetParam().loops(1, 2), 2), "pc");
  if (has(GetParam(), "producers")) {
    EXPECT_EQ(roles(*GetParam().loops(1, 4, given({{"producers", 3}})), 4), "pcpp");
  }
  if (has(GetParam(), "consumers")) {
    EXPECT_EQ(roles(*GetParam().loops(1, 4, given({{"consumers", 3}})), 4), "pccc");
  }
}

/// Orders come one after the other: the numbers go on, and who has left comes again.
TEST_P(RingConformance, LosesNoMessageFromOrderToOrder) {
  constexpr std::uint64_t kOrders = 100;
  Players players(GetParam(), given({{"size", 4}}));
  for (const std::size_t thread : {kProducer, kConsumer})
    players.start([&, thread] {
      for (std::uint64_t order = 0; order < kOrders; ++order) {
        players.loops->plain(thread, 0, thread == kProducer ? order % 5 : order % 3);
        players.loops->leave(thread, 0);
      }
    });
  ASSERT_TRUE(players.end()) << "they have missed each other";
  EXPECT_EQ(players.found(), kOrders / 5 * (0 + 1 + 2 + 3 + 4));
}

TEST_P(RingConformance, KeepsLinesApart) {
  const auto loops = GetParam().loops(3, 2, given({{"size", 8}}));
  EXPECT_EQ(loops->plain(kProducer, 1, 5), 5U);
  EXPECT_EQ(loops->plain(kProducer, 2, 2), 2U);
  EXPECT_EQ(loops->plain(kConsumer, 1, 1), 5U) << "it takes what there is";
  EXPECT_EQ(loops->progress(0), 0U);
  EXPECT_EQ(loops->progress(1), 10U);
  EXPECT_EQ(loops->progress(2), 2U);
}

TEST_P(RingConformance, ComparesNothingWhereAConsumerDidNotFollowToTheEnd) {
  const auto loops = GetParam().loops(1, 2, given({{"size", 8}}));
  loops->plain(kProducer, 0, 3);
  loops->leave(kProducer, 0);
  EXPECT_TRUE(loops->counts(3).empty());
  EXPECT_EQ(loops->plain(kConsumer, 0, kForEver), 3U) << "nothing comes any more";
  loops->leave(kConsumer, 0);
  EXPECT_EQ(loops->counts(3).at("messages").found, 3U);
}

/// The batch is what the consumer finds, from `begin` on.
TEST_P(RingConformance, RecordsHowManyItTakesAtOnce) {
  const auto loops = GetParam().loops(1, 2, given({{"size", 8}}));
  const auto go = [&](std::uint64_t count) {
    loops->plain(kProducer, 0, count);
    loops->leave(kProducer, 0);
    loops->plain(kConsumer, 0, 1);
    loops->leave(kConsumer, 0);
  };
  const auto batches = [&] { return loops->distributions().at("batch").counts; };
  using Counts = std::map<std::uint64_t, std::uint64_t>;
  go(4);
  EXPECT_EQ(batches(), Counts{}) << "it has warmed up";
  loops->begin();
  go(4);
  go(5);
  go(0);
  go(5);
  EXPECT_EQ(batches(), (Counts{{4, 1}, {5, 2}}));
}

TEST_P(RingConformance, TimesEachMessageThatIsStamped) {
  const auto loops = GetParam().loops(1, 2, given({{"size", 16}}));
  std::array<engine::Timing, 4> timings{};
  const auto send = [&](bool timed) {
    const std::span room = std::span(timings).last(1);
    EXPECT_EQ(timed ? loops->timed(kProducer, 0, 0, room) : loops->plain(kProducer, 0, 1), 1U);
    EXPECT_TRUE(room.front().empty()) << "the producer times nothing";
  };
  for (const bool timed : {false, true, false, true}) send(timed);
  EXPECT_EQ(loops->timed(kConsumer, 0, 0, timings), 4U);
  EXPECT_EQ(std::ranges::count_if(timings, &engine::Timing::empty), 2);
  EXPECT_FALSE(timings[1].empty()) << "those that are given stand in front";
  EXPECT_LE(timings[0].from_ns, timings[1].from_ns);
  for (const engine::Timing& timing : std::span(timings).first(2)) EXPECT_LE(timing.from_ns, timing.to_ns);
}

TEST_P(RingConformance, TakesNoMoreThanItHasRoomToTime) {
  const auto loops = GetParam().loops(1, 2, given({{"size", 16}}));
  std::array<engine::Timing, 2> timings{};
  for (int sent = 0; sent < 5; ++sent) loops->timed(kProducer, 0, 0, timings);
  for (const std::uint64_t taken : {2, 2, 1}) EXPECT_EQ(loops->timed(kConsumer, 0, 0, timings), taken);
}

TEST_P(RingConformance, TimesNothingWhereAllHaveLeft) {
  const auto loops = GetParam().loops(1, 2, given({{"size", 16}}));
  std::array<engine::Timing, 2> timings{};
  loops->plain(kProducer, 0, 3);
  loops->leave(kProducer, 0);
  EXPECT_EQ(loops->timed(kConsumer, 0, 0, timings), 3U);
  EXPECT_TRUE(timings[0].empty());
}

/// Nobody takes, and so everybody has to wait for room, or for those in flight.
TEST_P(RingConformance, StopEndsAProducerWhoseConsumerHangs) {
  for (const std::int64_t in_flight : {0, 1}) {
    Players players(GetParam(), given({{"size", 4}, {"in-flight", in_flight}}));
    players.start([&] { EXPECT_LT(players.loops->plain(kProducer, 0, kForEver), kForEver); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(players.stop());
    EXPECT_TRUE(players.loops->counts(0).empty()) << "nothing is left to compare";
    players.loops->leave(kProducer, 0);
    EXPECT_EQ(players.loops->plain(kProducer, 0, 1), 0U);
  }
}

TEST_P(RingConformance, StopEndsAConsumerThatWaitsForNothing) {
  Players players(GetParam(), given({{"size", 4}}));
  std::array<engine::Timing, 2> timings{};
  players.start([&] {
    EXPECT_EQ(players.loops->plain(kConsumer, 0, kForEver), 0U);
    EXPECT_EQ(players.loops->timed(kConsumer, 0, 0, timings), 0U);
    players.loops->leave(kConsumer, 0);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_TRUE(players.stop());
  EXPECT_TRUE(players.loops->counts(0).empty());
}

TEST_P(RingConformance, StopEndsAStreamWhereverItIs) {
  for (const std::uint64_t point : {1, 2, 100}) {
    Players players(GetParam(), given({{"size", 4}}));
    for (const std::size_t thread : {kProducer, kConsumer})
      players.start([&, thread] { EXPECT_LT(players.loops->plain(thread, 0, kForEver), kForEver); });
    while (players.loops->progress(0) < point) std::this_thread::yield();
    ASSERT_TRUE(players.stop()) << "from " << point << " on";
  }
}

contract::Result measured(const Variant& variant, const Given& more, std::size_t threads = 2) {
  auto request = variant.request(tests::pinned(threads, platform::allowed_cpus()));
  request.params.insert(more.begin(), more.end());
  request.lines = 1;
  request.measure_ns = 10 * kMillisecond;
  return variant.run(request);
}

void expect_measured(const contract::Result& result) {
  EXPECT_FALSE(result.cut);
  const contract::Held messages = result.counts.at("messages");
  EXPECT_EQ(messages.made, result.warmup_ops + result.measured_ops);
  EXPECT_EQ(messages.found, messages.made);
  EXPECT_TRUE(result.distributions.contains("latency"));
  const double taken = static_cast<double>(sum(result.distributions.at("batch"))) * 1.001;  // by buckets above 4,096
  EXPECT_GE(taken, static_cast<double>(result.measured_ops)) << "each was taken, by each consumer";
}

/// Of a size of which every batch has a bucket of its own.
TEST_P(RingConformance, IsMeasured) {
  const contract::Result result = measured(GetParam(), given({{"payload", 3}, {"size", 1024}}));
  expect_measured(result);
  EXPECT_EQ(sum(result.distributions.at("batch")), result.measured_ops);
  EXPECT_EQ(result.threads[0].role, "producer");
  EXPECT_EQ(result.threads[1].role, "consumer");
  EXPECT_EQ(result.skew.has_value(), tests::two_cpus().has_value());
}

TEST_P(RingConformance, IsMeasuredWithMany) {
  for (const char* many : {"producers", "consumers"}) {
    if (!has(GetParam(), many)) continue;
    const contract::Result result = measured(GetParam(), given({{many, 2}, {"size", 64}}), 3);
    expect_measured(result);
    EXPECT_EQ(result.threads[2].role + "s", many);
  }
}

/// What does not hang on the wait is asked once of each mechanism.
class RingRequest : public testing::TestWithParam<Variant> {
 protected:
  static std::string refusal(const Given& more, std::size_t threads = 2) {
    return tests::failure_of([&] { static_cast<void>(GetParam().loops(1, threads, more)); });
  }
  static std::string name() { return std::string(GetParam().mechanism->name); }
};
INSTANTIATE_TEST_SUITE_P(Every, RingRequest, testing::ValuesIn(tests::variants_of(experiment(), tests::worth_a_look)),
                         tests::VariantName());

TEST_P(RingRequest, OfASizeThatIsNoPowerOfTwoIsRefusedWhereItMustBeOne) {
  const std::string needs =
      "bad-request: The parameter 'size' of " + name() + " must be a power of two, such as 1024, not 1000.";
  EXPECT_EQ(refusal(given({{"size", 1000}})), name() == "sequenced-ring" ? needs : "accepted");
}

TEST_P(RingRequest, OfABatchThatDoesNotFitIsRefused) {
  if (!has(GetParam(), "batch")) return;
  const std::string batch = "bad-request: The parameter 'batch' of " + name() + " must be at most its ";
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 9}})), batch + "'size', 8, not 9.");
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 2}, {"in-flight", 1}})), batch + "'in-flight', 1, not 2.");
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 8}, {"in-flight", 8}})), "accepted");
}

TEST_P(RingRequest, OfAnotherNumberOfThreadsIsRefused) {
  EXPECT_EQ(refusal({}, 3), "bad-request: 1 producer and 1 consumer are 2 threads, not 3.");
  if (has(GetParam(), "producers")) {
    EXPECT_EQ(refusal(given({{"producers", 2}}), 2), "bad-request: 2 producers and 1 consumer are 3 threads, not 2.");
  }
  if (has(GetParam(), "consumers")) {
    EXPECT_EQ(refusal(given({{"consumers", 3}}), 2), "bad-request: 1 producer and 3 consumers are 4 threads, not 2.");
  }
}

TEST_P(RingRequest, AtTheEndsOfItsNumbersIsMeasured) {
  Given most = given({{"size", 1'048'576}, {"in-flight", 1'048'576}});
  if (has(GetParam(), "batch")) most["batch"] = std::int64_t{65'536};
  for (const Given& ends : {given({{"size", 2}}), most, given({{"payload", 126}})})
    expect_measured(measured(GetParam(), ends));
}

/// As many as it holds, or as may be in flight where it would hold more; nobody takes.
TEST_P(RingRequest, OfASizeIsMet) {
  for (const std::int64_t in_flight : {0, 3}) {
    Players players(GetParam(), given({{"size", 64}, {"in-flight", in_flight}}));
    players.start([&] {
      const std::uint64_t sent = players.loops->plain(kProducer, 0, kForEver);
      const std::uint64_t wanted = in_flight > 0 ? 3 : 64;
      EXPECT_GE(sent, wanted);
      EXPECT_LE(sent, in_flight == 0 && name() == "readerwriterqueue" ? 2 * wanted : wanted);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(players.stop());
  }
}

}  // namespace
}  // namespace threadping::ring

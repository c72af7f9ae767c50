// What every mechanism of queue must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "experiments/all.hpp"
#include "support/failures.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::queue {
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

/// How many messages a queue of this size holds at most: libraries round it up as they like.
std::uint64_t may_hold(std::string_view name, std::uint64_t size) {
  if (name == "readerwriterqueue" || name == "concurrentqueue") return std::max<std::uint64_t>(64, 2 * size);
  return name == "atomic-queue" ? std::max<std::uint64_t>(4096, size) : size;
}

bool has(const Variant& variant, std::string_view param) { return variant.params().has(param); }

/// Producers and consumers, each in a thread of its own: the first two, and more of either. The players are made before
/// anything is sent, as in a trial.
class Players : public tests::Players {
 public:
  Players(const Variant& variant, const Given& given, std::size_t threads = 2)
      : tests::Players(variant.acting(1, threads, given)), threads_(threads) {
    for (std::size_t thread = 0; thread < threads; ++thread) acting->plain(thread, 0, 0);
  }

  [[nodiscard]] bool is_producer(std::size_t thread) const { return acting->stage->role_of(thread) == 0; }

  /// Lets each producer send `count` messages and leave, and each consumer take all that comes.
  void stream(std::uint64_t count) {
    for (std::size_t thread = 0; thread < threads_; ++thread)
      start([this, thread, count] {
        if (is_producer(thread)) {
          EXPECT_GE(acting->plain(thread, 0, count), count);
        }
        acting->leave(thread);
      });
  }

  [[nodiscard]] contract::Held found() const { return acting->counts().at("messages"); }

 private:
  const std::size_t threads_;
};

class QueueConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, QueueConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::worth_asking)),
                         tests::VariantName());

void expect_no_loss(const Variant& variant, std::int64_t payload) {
  constexpr std::uint64_t kMessages = 300;
  Players players(
      variant,
      given(
          {{"size", 16}, {"message-bytes", 16 + 8 * payload}, {"producer-work", payload}, {"consumer-work", payload}}));
  players.stream(kMessages);
  ASSERT_TRUE(players.end()) << "a message was lost";
  const contract::Held messages = players.found();
  EXPECT_EQ(messages.found, kMessages);
  EXPECT_EQ(messages.made, kMessages);
  EXPECT_TRUE(messages.exact);
}

TEST_P(QueueConformance, LosesNoMessage) { expect_no_loss(GetParam(), 0); }

TEST_P(QueueConformance, LosesNoMessageWhereFewAreInFlight) {
  constexpr std::uint64_t kMessages = 40;
  for (const std::int64_t in_flight : {1, 3}) {
    Players players(GetParam(), given({{"size", 16}, {"depth", in_flight}}));
    players.stream(kMessages);
    ASSERT_TRUE(players.end()) << "a message was lost";
    EXPECT_EQ(players.found().found, kMessages);
  }
}

TEST_P(QueueConformance, LosesNoMessageOfABatch) {
  constexpr std::uint64_t kMessages = 1000;
  if (!has(GetParam(), "batch")) return;
  for (const std::int64_t in_flight : {0, 25}) {
    Players players(GetParam(), given({{"size", 64}, {"batch", 10}, {"depth", in_flight}}));
    players.stream(kMessages);
    ASSERT_TRUE(players.end());
    EXPECT_EQ(players.found().found, kMessages);
  }
}

/// Few messages: where there are more threads than CPUs, each of a spinning one may cost a time slice.
TEST_P(QueueConformance, LosesNoMessageOfOrToSeveral) {
  constexpr std::uint64_t kMessages = 50;
  for (const char* many : {"producers", "consumers"}) {
    if (!has(GetParam(), many)) continue;
    SCOPED_TRACE(many);
    for (const std::int64_t in_flight : {0, 8}) {
      Players players(GetParam(), given({{"size", 16}, {many, 3}, {"depth", in_flight}}), 4);
      players.stream(kMessages);
      ASSERT_TRUE(players.end());
      EXPECT_EQ(players.found().made, 3 * kMessages) << "of three producers, or to three consumers";
      EXPECT_EQ(players.found().found, 3 * kMessages);
    }
  }
}

TEST_P(QueueConformance, KnowsWhoIsWho) {
  const auto roles = [](const engine::Stage& stage, std::size_t threads) {
    std::string all;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const std::size_t role = stage.role_of(thread);
      EXPECT_EQ(experiment().roles[role].counts, role == 1) << "only what arrives counts";
      EXPECT_EQ(stage.compares_clocks(0, thread), role == 1);
      all += role == 0 ? 'p' : 'c';
    }
    return all;
  };
  EXPECT_EQ(roles(*GetParam().stage(1, 2), 2), "pc");
  if (has(GetParam(), "producers")) {
    EXPECT_EQ(roles(*GetParam().stage(1, 4, given({{"producers", 3}})), 4), "pcpp");
  }
  if (has(GetParam(), "consumers")) {
    EXPECT_EQ(roles(*GetParam().stage(1, 4, given({{"consumers", 3}})), 4), "pccc");
  }
}

/// The stream goes on from task to task, whatever these are, and nothing is drained between them.
TEST_P(QueueConformance, FlowsFromTaskToTask) {
  constexpr std::uint64_t kTasks = 20;
  Players players(GetParam(), given({{"size", 4}}));
  players.start([&] {
    for (std::uint64_t task = 0; task < kTasks; ++task)
      players.acting->run(kProducer, {.count = 6, .every = static_cast<std::uint32_t>(task % 3)});
    players.acting->leave(kProducer);
  });
  players.start([&] {
    for (std::uint64_t task = 0; task < kTasks; ++task) players.acting->plain(kConsumer, 0, 3);
    players.acting->leave(kConsumer);
  });
  ASSERT_TRUE(players.end()) << "they have missed each other";
  EXPECT_EQ(players.found().found, players.found().made);
  EXPECT_GE(players.found().found, kTasks * 6);
}

/// The batch is what the consumer finds, and is cut by nothing.
TEST_P(QueueConformance, ReportsHowManyItTakesAtOnce) {
  using Numbers = std::vector<std::uint64_t>;
  const auto acting = GetParam().acting(1, 2, given({{"size", 8}}));
  acting->plain(kConsumer, 0, 0);
  for (const std::uint64_t count : {4, 5, 1}) {
    acting->plain(kProducer, 0, count);
    EXPECT_EQ(acting->plain(kConsumer, 0, 1), count);
  }
  tests::Kept& kept = *acting->samples[kConsumer];
  kept.take();
  EXPECT_EQ(kept.numbers, (Numbers{4, 5, 1}));
  kept.sample(false);
  acting->plain(kProducer, 0, 2);
  acting->leave(kProducer);
  acting->leave(kConsumer);
  kept.take();
  EXPECT_EQ(kept.numbers, (Numbers{4, 5, 1}))
      << "nothing is recorded in a throughput window, and the end is no message";
  EXPECT_EQ(acting->counts().at("messages").found, 12U);
}

/// Of each group one message, in its middle; the consumer times what is stamped, in every kind of task.
TEST_P(QueueConformance, TimesEachMessageThatIsStamped) {
  const auto acting = GetParam().acting(1, 2, given({{"size", 64}}));
  acting->plain(kConsumer, 0, 0);
  EXPECT_EQ(acting->run(kProducer, {.count = 12, .every = 4}), 12U);
  EXPECT_TRUE(acting->taken(kProducer).empty()) << "the producer times nothing";
  EXPECT_EQ(acting->samples[kProducer]->readings(), 3U) << "but reads the clock";
  EXPECT_EQ(acting->plain(kConsumer, 0, 12), 12U);
  const std::vector<engine::Timing> timings = acting->taken(kConsumer);
  ASSERT_EQ(timings.size(), 3U);
  EXPECT_EQ(acting->samples[kConsumer]->readings(), 3U);
  EXPECT_EQ(acting->samples[kConsumer]->ops, 10U) << "the third one of the last four";
  for (const engine::Timing& timing : timings) EXPECT_LE(timing.from_ns, timing.to_ns);
  EXPECT_LE(timings[0].from_ns, timings[1].from_ns);
}

/// Otherwise the time in which it had the message and no space would be in no message's latency.
TEST_P(QueueConformance, StampsBeforeItWaitsForSpaceAndOnce) {
  if (may_hold(GetParam().mechanism->name, 2) > 2) GTEST_SKIP() << "it holds more than it was asked to";
  Players players(GetParam(), given({{"size", 2}}));
  players.acting->plain(kProducer, 0, 2);
  std::atomic<std::uint64_t> tried_ns = 0;
  players.start([&] {
    tried_ns = platform::now_ns();
    players.acting->timed(kProducer, 0, 1);
  });
  while (tried_ns == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t space_ns = platform::now_ns();
  std::uint64_t taken = 0;
  while (taken < 3) taken += players.acting->plain(kConsumer, 0, 1);
  ASSERT_TRUE(players.end());
  const std::vector<engine::Timing> timings = players.acting->taken(kConsumer);
  ASSERT_EQ(timings.size(), 1U);
  EXPECT_GE(timings[0].from_ns, tried_ns);
  EXPECT_LT(timings[0].from_ns, space_ns);
}

/// But what is not to be in flight yet is not there yet.
TEST_P(QueueConformance, StampsAfterItMaySendWhereFewAreInFlight) {
  Players players(GetParam(), given({{"size", 8}, {"depth", 1}}));
  players.acting->plain(kProducer, 0, 1);
  players.start([&] { players.acting->timed(kProducer, 0, 1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t before_ns = platform::now_ns();
  std::uint64_t taken = 0;
  while (taken < 2) taken += players.acting->plain(kConsumer, 0, 1);
  ASSERT_TRUE(players.end());
  EXPECT_GE(players.acting->taken(kConsumer).at(0).from_ns, before_ns);
}

/// Nobody looks into what took long while others queue.
TEST_P(QueueConformance, SaysWhetherOthersWait) {
  Players players(GetParam(), given({{"size", 8}}));
  players.acting->plain(kProducer, 0, 3);
  players.acting->plain(kConsumer, 0, 1);
  EXPECT_TRUE(players.acting->samples[kConsumer]->others_wait()) << "they were there before it came";
  const tests::Kept& kept = *players.acting->samples[kConsumer];
  for (std::chrono::milliseconds pause(20); kept.others_wait() && pause < std::chrono::seconds(20); pause *= 2) {
    players.start([&] { players.acting->plain(kConsumer, 0, 1); });
    std::this_thread::sleep_for(pause);  // on a busy machine it comes late
    players.acting->plain(kProducer, 0, 1);
    ASSERT_TRUE(players.end());
  }
  EXPECT_FALSE(kept.others_wait()) << "it has waited itself";
}

/// A take of many messages lasts long compared with a window.
TEST_P(QueueConformance, ReportsHowFarItHasComeInsideATake) {
  const auto acting = GetParam().acting(1, 2, given({{"size", 64}}));
  acting->plain(kConsumer, 0, 0);
  for (int run = 0; run < 3; ++run) acting->plain(kProducer, 0, 10);
  acting->plain(kConsumer, 0, 30);
  EXPECT_EQ(acting->samples[kConsumer]->ops, 20U) << "before the first message of the last run";
}

/// Nobody takes, and so everybody has to wait for space, or for those in flight.
TEST_P(QueueConformance, StopEndsAProducerWhoseConsumerHangs) {
  for (const std::int64_t in_flight : {0, 1}) {
    Players players(GetParam(), given({{"size", 4}, {"depth", in_flight}}));
    players.start([&] { EXPECT_LT(players.acting->plain(kProducer, 0, kForEver), kForEver); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(players.stop());
    EXPECT_TRUE(players.acting->counts().empty()) << "nothing is left to compare";
    players.acting->leave(kProducer);
    EXPECT_EQ(players.acting->plain(kProducer, 0, 1), 0U);
  }
}

TEST_P(QueueConformance, StopEndsAConsumerThatWaitsForNothing) {
  Players players(GetParam(), given({{"size", 4}}));
  players.start([&] {
    EXPECT_EQ(players.acting->plain(kConsumer, 0, kForEver), 0U);
    EXPECT_EQ(players.acting->timed(kConsumer, 0, kForEver), 0U);
    players.acting->leave(kConsumer);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_TRUE(players.stop());
  EXPECT_TRUE(players.acting->counts().empty());
}

TEST_P(QueueConformance, StopEndsAStreamWhereverItIs) {
  for (const std::uint64_t point : {1, 2, 100}) {
    Players players(GetParam(), given({{"size", 4}}));
    for (const std::size_t thread : {kProducer, kConsumer})
      players.start([&, thread] { EXPECT_LT(players.acting->plain(thread, 0, kForEver), kForEver); });
    while (players.acting->stage->progress(0) < point) std::this_thread::yield();
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
  EXPECT_GE(messages.made, result.warmup_ops + result.measured_ops);
  EXPECT_EQ(messages.found, messages.made);
  EXPECT_TRUE(result.distributions.contains("latency"));
  EXPECT_EQ(result.distributions.at("batch").unit, "messages");
}

TEST_P(QueueConformance, IsMeasuredWithMany) {
  for (const char* many : {"producers", "consumers"}) {
    if (!has(GetParam(), many)) continue;
    const contract::Result result = measured(GetParam(), given({{many, 2}, {"size", 64}}), 3);
    expect_measured(result);
    EXPECT_EQ(result.threads[2].role + "s", many);
  }
}

/// What does not hang on the wait is asked once of each mechanism.
class QueueRequest : public testing::TestWithParam<Variant> {
 protected:
  static std::string refusal(const Given& more, std::size_t threads = 2) {
    return tests::failure_of([&] { static_cast<void>(GetParam().stage(1, threads, more)); });
  }
  static std::string name() { return std::string(GetParam().mechanism->name); }
};
INSTANTIATE_TEST_SUITE_P(Every, QueueRequest, testing::ValuesIn(tests::variants_of(experiment(), tests::worth_a_look)),
                         tests::VariantName());

TEST_P(QueueRequest, OfAnyPayloadLosesNoMessage) {
  for (const std::int64_t payload : {1, 6, 7, 126}) expect_no_loss(GetParam(), payload);
}

TEST_P(QueueRequest, OfASizeThatIsNoPowerOfTwoIsRefusedWhereItMustBeOne) {
  const std::string needs =
      "bad-request: The parameter 'size' of " + name() + " must be a power of two, such as 1024, not 1000.";
  EXPECT_EQ(refusal(given({{"size", 1000}})), name() == "sequenced-ring" ? needs : "accepted");
}

TEST_P(QueueRequest, OfABatchThatDoesNotFitIsRefused) {
  if (!has(GetParam(), "batch")) return;
  const std::string batch = "bad-request: The parameter 'batch' of " + name() + " must be at most its ";
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 9}})), batch + "'size', 8, not 9.");
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 2}, {"depth", 1}})), batch + "'depth', 1, not 2.");
  EXPECT_EQ(refusal(given({{"size", 8}, {"batch", 8}, {"depth", 8}})), "accepted");
}

TEST_P(QueueRequest, OfMoreInFlightThanFitsIsRefused) {
  EXPECT_EQ(refusal(given({{"size", 8}, {"depth", 9}})),
            "bad-request: The parameter 'depth' of " + name() + " must be at most its 'size', 8, not 9.");
}

TEST_P(QueueRequest, OfMoreMemoryThanThereMayBeIsRefused) {
  if (!has(GetParam(), "producers") || name() != "concurrentqueue") return;
  const std::string why = refusal(given({{"size", 1'048'576}, {"message-bytes", 1024}, {"producers", 2}}), 3);
  EXPECT_TRUE(why.starts_with("bad-request: Of memory the slots of the queue would take 3,072 MiB, and may take "));
  EXPECT_TRUE(why.ends_with(": lower its size, message-bytes or producers.")) << why;
}

TEST_P(QueueRequest, OfAnotherNumberOfThreadsIsRefused) {
  EXPECT_EQ(refusal({}, 3), "bad-request: 1 producer and 1 consumer are 2 threads, not 3.");
  if (has(GetParam(), "producers")) {
    EXPECT_EQ(refusal(given({{"producers", 2}}), 2), "bad-request: 2 producers and 1 consumer are 3 threads, not 2.");
  }
  if (has(GetParam(), "consumers")) {
    EXPECT_EQ(refusal(given({{"consumers", 3}}), 2), "bad-request: 1 producer and 3 consumers are 4 threads, not 2.");
  }
}

TEST_P(QueueRequest, AtTheEndsOfItsNumbersIsMeasured) {
  Given most = given({{"size", 1'048'576}, {"depth", 1'048'576}});
  if (has(GetParam(), "batch")) most["batch"] = std::int64_t{65'536};
  for (const Given& ends : {given({{"size", 2}}), most, given({{"message-bytes", 1024}})})
    expect_measured(measured(GetParam(), ends));
}

/// As many as it holds, or as may be in flight where it would hold more; nobody takes.
TEST_P(QueueRequest, OfASizeIsMet) {
  for (const std::int64_t in_flight : {0, 3}) {
    Players players(GetParam(), given({{"size", 64}, {"depth", in_flight}}));
    players.start([&] {
      const std::uint64_t sent = players.acting->plain(kProducer, 0, kForEver);
      const std::uint64_t wanted = in_flight > 0 ? 3 : 64;
      EXPECT_GE(sent, wanted);
      EXPECT_LE(sent, in_flight == 0 ? may_hold(name(), wanted) : wanted);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(players.stop());
  }
}

}  // namespace
}  // namespace threadping::queue

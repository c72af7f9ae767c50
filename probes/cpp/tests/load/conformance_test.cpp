// What every mechanism of load must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/load/load.hpp"
#include "experiments/load/players.hpp"
#include "mechanisms/signals/sleeping.hpp"
#include "support/idle.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::load {
namespace {

using tests::kForEver;
using tests::kMillisecond;
using tests::Variant;
using Given = std::map<std::string, contract::Param>;

/// So quick that all are due at once, however busy the machine is.
Given quick() { return {{"rate", std::int64_t{20'000'000}}}; }

Given with(Given given, const Given& more) {
  given.insert(more.begin(), more.end());
  return given;
}

/// A sender and a receiver; a few messages, since on one CPU each of a spinning one may cost a time slice.
class Players : public tests::Players {
 public:
  Players(const Variant& variant, const Given& given) : tests::Players(variant.acting(1, 2, given)) {
    for (const std::size_t thread : {kSender, kReceiver}) acting->plain(thread, 0, 0);
  }

  /// Sends `count` messages and leaves.
  void send(std::uint64_t count) {
    std::uint64_t sent = 0;
    while (sent < count) sent += acting->plain(kSender, 0, count - sent);
    acting->leave(kSender);
  }
  void receive_all() { acting->leave(kReceiver); }

  [[nodiscard]] contract::Held messages() const { return acting->counts().at("messages"); }
  tests::Kept& received() { return *acting->samples[kReceiver]; }
};

class LoadConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, LoadConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::worth_asking)),
                         tests::VariantName());

TEST_P(LoadConformance, LosesNoMessage) {
  constexpr std::uint64_t kMessages = 100;
  for (const std::int64_t size : {2, 64}) {
    Players players(GetParam(), with(quick(), {{"size", size}}));
    players.start([&] { players.send(kMessages); });
    players.start([&] { players.receive_all(); });
    ASSERT_TRUE(players.end()) << "a message was lost";
    EXPECT_EQ(players.messages().made, kMessages);
    EXPECT_EQ(players.messages().found, kMessages);
    EXPECT_TRUE(players.messages().exact);
  }
}

/// Message by message, to the nanosecond; and none moves from where the schedule has it, though the receiver comes late
/// and the sender finds no space.
TEST_P(LoadConformance, ReportsThreeDurationsOfEachMessageThatAddUp) {
  constexpr std::uint64_t kMessages = 40;
  const Given given = with({{"rate", std::int64_t{1'000'000}}}, {{"size", std::int64_t{8}}});
  Players players(GetParam(), given);
  players.start([&] { players.send(kMessages); });
  players.start([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    players.receive_all();
  });
  ASSERT_TRUE(players.end());
  const std::vector<engine::Timing> latencies = players.received().take();
  const std::vector<std::uint64_t> parts = players.received().numbers;
  ASSERT_EQ(latencies.size(), kMessages);
  ASSERT_EQ(parts.size(), 2 * kMessages);
  for (std::size_t at = 0; at < kMessages; ++at) {
    EXPECT_EQ(latencies[at].ns(), parts[2 * at] + parts[2 * at + 1]) << "message " << at + 1;
    EXPECT_EQ(latencies[at].from_ns - latencies[0].from_ns, 1000 * at) << "message " << at + 1;
  }
  const auto late = static_cast<std::int64_t>(9 * kMillisecond);
  EXPECT_GE(static_cast<std::int64_t>(latencies[0].ns()), late) << "it waited for the receiver";
  EXPECT_GE(static_cast<std::int64_t>(parts[40]), late) << "what found no space was late before it was sent";
}

TEST_P(LoadConformance, StopEndsEveryWait) {
  {
    Players players(GetParam(), with(quick(), {{"size", std::int64_t{4}}}));
    players.start([&] { EXPECT_LT(players.acting->plain(kSender, 0, kForEver), kForEver); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(players.stop()) << "a sender whose receiver hangs";
    EXPECT_TRUE(players.acting->counts().empty()) << "nothing is left to compare";
  }
  Players players(GetParam(), {});
  players.start([&] { EXPECT_EQ(players.acting->plain(kReceiver, 0, kForEver), 0U); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_TRUE(players.stop()) << "a receiver that waits for nothing";
}

/// What does not hang on the mechanism is asked of two: a signal that spins, a queue that sleeps.
bool every_schedule(const Variant& variant) {
  const std::string_view name = variant.mechanism->name;
  return (name == "release-one-line" && variant.usual("wait")) || name == "mutex-deque";
}

class LoadSchedule : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, LoadSchedule, testing::ValuesIn(tests::variants_of(experiment(), every_schedule)),
                         tests::VariantName());

TEST_P(LoadSchedule, IsMeasured) {
  auto request = GetParam().request(tests::pinned(2, platform::allowed_cpus()));
  request.measure_ns = 10 * kMillisecond;
  const bool idle_between = std::get<std::string>(GetParam().given.at("arrivals")) == "idle";
  if (idle_between) request.params["idle"] = "30us";  // drawn ones are of up to 0.1 s
  const contract::Result result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  const auto samples = [&](const std::string& name, const std::string& unit = "ns") {
    const contract::Distribution& all = result.distributions.at(name);
    EXPECT_EQ(all.unit, unit);
    std::uint64_t sum = all.negative + all.censored;
    for (const auto& [value, count] : all.counts) sum += count;
    return sum;
  };
  EXPECT_LE(samples("latency"), result.measured_ops) << "every message that was received, or one in `every`";
  EXPECT_EQ(samples("due-to-sent"), samples("latency"));
  EXPECT_EQ(samples("sent-to-received"), samples("latency"));
  std::uint64_t by_gap = 0;
  for (const engine::NumberInfo& info : std::span(kNumbers).subspan(2)) by_gap += samples(std::string(info.name));
  EXPECT_EQ(by_gap, idle_between ? samples("latency") : 0);
  std::uint64_t idle = 0;
  for (const engine::NumberInfo& info : kIdle) idle += samples(std::string(info.name), "deeper states");
  EXPECT_LE(idle, by_gap);
}

/// Due every 10 ms, for 20 ms: all that came in the measuring phase, in any window or none.
TEST(Load, RecordsEachMessageOfASlowStream) {
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.params = {{"rate", std::int64_t{100}}, {"wait", "yield"}};
  request.lines = 1;
  request.warmup = tests::no_warmup();
  request.measure_ns = 50 * kMillisecond;
  const contract::Result result = engine::run(request, experiment());
  std::uint64_t samples = result.distributions.at("latency").negative;
  for (const auto& [value, count] : result.distributions.at("latency").counts) samples += count;
  EXPECT_GT(samples, 0U);
  EXPECT_EQ(samples, result.measured_ops);
}

/// Nobody looks into what took long where the next message is due within half a millisecond; the sender never.
TEST(Load, LooksOnlyWhereNothingIsDueForLong) {
  for (const std::int64_t rate : {100, 100'000}) {
    Players players({.experiment = &experiment(), .mechanism = &experiment().mechanisms.front(), .given = {}},
                    {{"rate", rate}, {"wait", "yield"}});
    players.start([&] {
      while (players.acting->plain(kSender, 0, 1) == 0) {
      }
    });
    players.start([&] { players.acting->timed(kReceiver, 0, 1); });
    ASSERT_TRUE(players.end());
    const engine::Timing one = players.received().take().at(0);
    const std::uint64_t next_due_ns = one.from_ns + 1'000'000'000 / static_cast<std::uint64_t>(rate);
    EXPECT_EQ(players.received().others_wait(), next_due_ns < one.to_ns + kMillisecond / 2);
    EXPECT_TRUE(players.acting->samples[kSender]->others_wait());
  }
}

/// After a stall the engine wants as much at once as it saw of those that had queued; at the schedule's pace that could
/// take minutes, in which nobody would take up an order.
TEST(Load, RunsForNoLongerThanTheScheduleWarrants) {
  Players players({.experiment = &experiment(), .mechanism = &experiment().mechanisms.front(), .given = {}},
                  {{"rate", std::int64_t{10'000}}, {"wait", "yield"}});
  EXPECT_EQ(players.acting->plain(kSender, 0, 4096), 1U);
  EXPECT_EQ(players.acting->run(kReceiver, {.count = 4096, .every = 64}), 1U);
  EXPECT_EQ(players.received().take().size(), 1U) << "and as few untimed";
}

/// A fixed distance of a power of two would meet always the same one of a burst of eight.
TEST(Load, TimesOneMessageInSoManyWhateverItsPlaceInABurst) {
  constexpr std::uint64_t kMessages = 8'000;
  constexpr std::uint64_t kBurst = 8;
  constexpr std::uint64_t kGap = 50;
  Players players({.experiment = &experiment(), .mechanism = &experiment().mechanisms.front(), .given = {}},
                  with(quick(), {{"wait", "yield"}}));
  EXPECT_TRUE(players.received().take().empty());
  players.start([&] { players.send(kMessages); });
  players.start([&] {
    players.acting->run(kReceiver, {.count = 1, .every = 8});
    players.receive_all();
  });
  ASSERT_TRUE(players.end());
  std::map<std::uint64_t, int> timed;
  for (const engine::Timing& one : players.received().take()) ++timed[one.from_ns / kGap % kBurst];
  EXPECT_EQ(timed.size(), kBurst);
  for (const auto& [place, count] : timed)
    EXPECT_NEAR(count, static_cast<double>(kMessages) / (kBurst * kBurst), 50) << place;
  EXPECT_TRUE(players.acting->samples[kSender]->take().empty()) << "the sender times nothing";
}

/// Due after 12.5 ms: within the last 10 the sender does nothing but wait.
TEST(Load, LooksAtItsOrdersOnlyWhereNothingIsDueSoon) {
  const Players players({.experiment = &experiment(), .mechanism = &experiment().mechanisms.front(), .given = {}},
                        {{"rate", std::int64_t{80}}, {"wait", "yield"}});
  EXPECT_EQ(players.acting->plain(kSender, 0, 1), 1U);
}

/// The CPU of its receiver leaves a state as a message comes.
struct Wakes : SignalLink<signals::Futex> {
  using SignalLink::SignalLink;
  static inline std::function<void(std::uint64_t)> as_it_comes;
  static void send(Sender& /*sender*/, std::uint64_t number) { as_it_comes(number); }
};

/// What the CPU leaves 8 ms before a message is due is not the state in which that finds it. Again where the machine
/// was so busy that it happened later.
TEST(Load, ReportsTheIdleStateThatAMessageFoundAndNoneBefore) {
  const tests::IdleFolder cpus("threadping-found-idle");
  const engine::Mechanism& futex = *std::ranges::find(experiment().mechanisms, "futex", &engine::Mechanism::name);
  const engine::Params params(futex.name, futex.params, {{"arrivals", std::string("idle")}});
  bool in_time = false;
  for (int attempt = 0; attempt < 500 && !in_time; ++attempt) {
    tests::Kept samples;  // first: to make it takes milliseconds under ThreadSanitizer
    Course<Wakes> course({.params = params, .lines = 1, .threads = 2, .seed = 0, .blocking = futex.blocking});
    EXPECT_TRUE(course.by_gap && course.idles);
    SenderState<Wakes> at{.sender = {},
                          .progress = {.schedule = course.schedule, .idle = platform::IdleStates(3, cpus.root)}};
    SenderProgress& progress = at.progress;
    auto interrupted = std::async(std::launch::async, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      cpus.left(2, 100 + attempt);
      return platform::now_ns();
    });
    progress.due_ns = platform::now_ns() + 9 * kMillisecond;
    progress.last_due_ns = progress.due_ns - 10 * kMillisecond;
    progress.next_due_ns = progress.due_ns + 1000 * kMillisecond;
    const std::uint64_t due_ns = progress.due_ns;
    Wakes::as_it_comes = [&](std::uint64_t number) {
      cpus.left(1, 100 + attempt);
      course.taken = number;
    };
    ASSERT_EQ(perform_sends(course, at, 1, samples), 1U);
    samples.take();
    in_time = interrupted.get() + kMillisecond / 10 < due_ns && !samples.numbers.empty();
    EXPECT_TRUE(!in_time || samples.numbers == std::vector<std::uint64_t>{1}) << "of three states the middle one";
  }
  EXPECT_TRUE(in_time);
}

TEST(Load, LooksForNoIdleStatesOfAReceiverThatSpins) {
  const engine::Mechanism& spins = experiment().mechanisms.front();
  for (const auto& [wait, idles] : {std::pair{"spin", false}, {"yield", false}, {"backoff", true}}) {
    const engine::Params params(spins.name, spins.params, {{"wait", std::string(wait)}});
    EXPECT_EQ(Course<Wakes>({.params = params, .lines = 1, .threads = 2, .seed = 0}).idles, idles) << wait;
  }
  const engine::Params none("own", kParams, {});
  for (const bool blocking : {false, true})
    EXPECT_EQ(Course<Wakes>({.params = none, .lines = 1, .threads = 2, .blocking = blocking}).idles, blocking);
}

TEST(Load, ReportsLatenciesByGap) {
  EXPECT_EQ(kNumbers[number_after(10'000)].name, "latency-after-10us");
  EXPECT_EQ(kNumbers[number_after(29'999)].name, "latency-after-10us");
  EXPECT_EQ(kNumbers[number_after(30'000)].name, "latency-after-30us");
  EXPECT_EQ(kNumbers[number_after(1'000'000)].name, "latency-after-1ms");
  EXPECT_EQ(kNumbers[number_after(99'999'999)].name, "latency-after-30ms");
  for (std::size_t part = 0; part < kGapsNs.size(); ++part) {
    EXPECT_EQ(part_of(kGapsNs[part]), part);
    EXPECT_EQ(kNumbers[2 + part].name, "latency-after-" + std::string(kGaps[1 + part]));
    EXPECT_EQ(kIdle[part].name, "idle-after-" + std::string(kGaps[1 + part]));
  }
}

}  // namespace
}  // namespace threadping::load

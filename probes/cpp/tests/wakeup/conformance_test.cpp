// What every mechanism of wakeup must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <set>
#include <thread>

#include "experiments/all.hpp"
#include "platform/clock.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::wakeup {
namespace {

using tests::kForEver;
using tests::kMillisecond;

constexpr std::size_t kNotifier = 0;
constexpr std::size_t kWaiter = 1;

using Given = std::map<std::string, contract::Param>;

/// Without pauses, and hardly a buffer.
Given quick() {
  return {{"message-bytes", std::int64_t{64}}, {"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{0}}};
}

/// Pairs on one line, each side in a thread of its own.
class Players : public tests::Players {
 public:
  Players(const tests::Variant& variant, std::size_t pairs, const Given& given = quick())
      : tests::Players(variant.acting(1, 2 * pairs, given)) {}

  /// Lets a notifier call so often and leave.
  void call(std::size_t thread, std::uint64_t count) {
    start([this, thread, count] {
      EXPECT_EQ(acting->plain(thread, 0, count), count);
      acting->leave(thread);
    });
  }

  /// Lets a waiter take what comes until its notifier has left.
  void take_all(std::size_t thread) {
    start([this, thread] { acting->leave(thread); });
  }
};

class WakeupConformance : public testing::TestWithParam<tests::Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, WakeupConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

TEST_P(WakeupConformance, LosesNoCall) {
  constexpr std::uint64_t kCalls = 2000;
  for (const std::size_t pairs : {1, 4}) {
    Players players(GetParam(), pairs);
    for (std::size_t thread = 0; thread < 2 * pairs; thread += 2) {
      players.call(thread, kCalls);
      players.take_all(thread + 1);
    }
    ASSERT_TRUE(players.end()) << "a call was lost";
    const contract::Held calls = players.acting->counts().at("calls");
    EXPECT_EQ(calls.made, pairs * kCalls);
    EXPECT_EQ(calls.found, pairs * kCalls);
    EXPECT_TRUE(calls.exact);
    for (std::size_t waiter = 1; waiter < 2 * pairs; waiter += 2) {
      const engine::Tally wake_ups = players.acting->samples[waiter]->tally();
      EXPECT_EQ(wake_ups.made, kCalls);
      EXPECT_LE(wake_ups.found, kCalls);
    }
  }
}

/// The stream goes on from task to task, whatever these are.
TEST_P(WakeupConformance, FlowsFromTaskToTask) {
  constexpr std::uint64_t kTasks = 200;
  Players players(GetParam(), 1);
  players.start([&] {
    for (std::uint32_t task = 0; task < kTasks; ++task) players.acting->run(kNotifier, {.count = 4, .every = task % 3});
    players.acting->leave(kNotifier);
  });
  players.start([&] {
    for (std::uint64_t task = 0; task < kTasks; ++task) players.acting->plain(kWaiter, 0, 1);
    players.acting->leave(kWaiter);
  });
  ASSERT_TRUE(players.end()) << "they have missed each other";
  const contract::Held calls = players.acting->counts().at("calls");
  EXPECT_EQ(calls.found, calls.made);
  EXPECT_GE(calls.found, 4 * kTasks);
}

TEST_P(WakeupConformance, TakesAllCallsThatCameAtOnce) {
  const auto acting = GetParam().acting(1, 2, quick());
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(acting->plain(kNotifier, 0, 70), 70U);
    EXPECT_EQ(acting->plain(kWaiter, 0, 1), 70U);
  }
  EXPECT_EQ(acting->counts().at("calls").found, 210U);
  EXPECT_EQ(acting->samples[kWaiter]->tally().made, 210U);
  EXPECT_EQ(acting->samples[kWaiter]->tally().found, 0U) << "it did not have to wait";
  acting->leave(kNotifier);
  EXPECT_EQ(acting->plain(kWaiter, 0, 5), 0U) << "nothing comes any more";
  EXPECT_EQ(acting->plain(kWaiter, 0, 5), 0U) << "nor later";
}

/// The call's beginning is the wake-up's. It looks ahead of each, after the pause.
TEST_P(WakeupConformance, TimesCallsAndTheWakeUpsThatTheyCause) {
  constexpr std::size_t kCalls = 30;
  Players players(GetParam(), 1, {{"pause", std::int64_t{1000}}, {"waiter-pause", std::int64_t{0}}});
  std::latch waits(1);  // a waiter whose thread has no CPU yet finds all calls made
  players.start([&] {
    waits.wait();
    EXPECT_EQ(players.acting->timed(kNotifier, 0, kCalls), kCalls);
    players.acting->leave(kNotifier);
  });
  players.start([&] {
    waits.count_down();
    players.acting->leave(kWaiter);
  });
  ASSERT_TRUE(players.end());
  const std::vector<engine::Timing> calls = players.acting->taken(kNotifier);
  const std::vector<engine::Timing> wakes = players.acting->taken(kWaiter);
  EXPECT_EQ(calls.size(), kCalls);
  EXPECT_EQ(players.acting->samples[kNotifier]->readings(), 2 * kCalls);
  EXPECT_EQ(players.acting->samples[kNotifier]->about, static_cast<int>(kCalls));
  EXPECT_FALSE(wakes.empty());
  EXPECT_EQ(players.acting->samples[kWaiter]->readings(), wakes.size());
  for (const engine::Timing& wake : wakes)
    EXPECT_NE(std::ranges::find(calls, wake.from_ns, &engine::Timing::from_ns), calls.end());
  for (const engine::Timing& call : calls) EXPECT_GE(call.to_ns, call.from_ns);
}

/// One in four, each in the middle of its group; the others are made all the same.
TEST_P(WakeupConformance, TimesOneCallInEachGroup) {
  const auto acting = GetParam().acting(1, 2, quick());
  EXPECT_EQ(acting->run(kNotifier, {.line = 0, .count = 10, .every = 4, .opened_ns = 0}), 10U);
  EXPECT_EQ(acting->taken(kNotifier).size(), 2U);
  EXPECT_EQ(acting->samples[kNotifier]->about, 2);
  EXPECT_EQ(acting->plain(kWaiter, 0, 1), 10U);
}

TEST_P(WakeupConformance, ReportsNothingOfAWakeUpByACallThatNobodyTimed) {
  Players players(GetParam(), 1);
  players.start([&] { EXPECT_EQ(players.acting->timed(kWaiter, 0, 1), 1U); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  players.acting->plain(kNotifier, 0, 1);
  ASSERT_TRUE(players.end());
  EXPECT_TRUE(players.acting->taken(kWaiter).empty());
}

TEST_P(WakeupConformance, ReportsNothingOfACallThatWasThereAlready) {
  const auto acting = GetParam().acting(1, 2, quick());
  EXPECT_EQ(acting->timed(kNotifier, 0, 1), 1U);
  EXPECT_EQ(acting->timed(kWaiter, 0, 1), 1U);
  EXPECT_EQ(acting->taken(kNotifier).size(), 1U);
  EXPECT_TRUE(acting->taken(kWaiter).empty());
}

TEST_P(WakeupConformance, StopEndsAWaiterWhereverItIs) {
  for (const std::uint64_t calls : {0, 1, 100}) {
    Players players(GetParam(), 2);
    for (const std::size_t waiter : {1, 3})
      players.start([&, waiter] {
        players.acting->plain(waiter, 0, kForEver);
        players.acting->leave(waiter);
      });
    players.acting->plain(0, 0, calls);
    ASSERT_TRUE(players.stop());
    EXPECT_TRUE(players.acting->counts().empty()) << "nothing is left to compare";
    EXPECT_EQ(players.acting->plain(kWaiter, 0, 1), 0U);
  }
}

TEST_P(WakeupConformance, StopEndsPauses) {
  const std::int64_t long_time = 100'000;
  Players players(GetParam(), 1, {{"pause", long_time}, {"waiter-pause", long_time}});
  players.start([&] { players.acting->plain(kNotifier, 0, 300); });
  players.start([&] { players.acting->plain(kWaiter, 0, 300); });
  ASSERT_TRUE(players.stop());
}

TEST_P(WakeupConformance, ShowsProgressWithEveryCallAndEveryPause) {
  const auto acting = GetParam().acting(1, 2, {{"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{1}}});
  const std::uint64_t before = acting->stage->progress(0);
  acting->plain(kNotifier, 0, 1);
  EXPECT_EQ(acting->stage->progress(0), before + 1) << "a call";
  acting->plain(kWaiter, 0, 1);
  EXPECT_EQ(acting->stage->progress(0), before + 3) << "a pause, and a call that was taken";
}

TEST_P(WakeupConformance, HoldsANotifiersClockAgainstItsOwnWaitersOnly) {
  const auto stage = GetParam().stage(1, 4);
  EXPECT_TRUE(stage->compares_clocks(2, 3));
  EXPECT_FALSE(stage->compares_clocks(0, 3));
  EXPECT_EQ(stage->role_of(2), 0U);
  EXPECT_EQ(stage->role_of(3), 1U);
}

/// So that notifiers drift, as do those that are started one after the other; a pause is made of stretches of 10 ms.
TEST(ThePairs, BeginWithPausesOfTheirOwn) {
  const auto acting = tests::variants_of(experiment(), tests::between_threads)
                          .front()
                          .acting(1, 8, {{"pause", std::int64_t{100'000}}, {"waiter-pause", std::int64_t{0}}});
  std::set<std::uint64_t> stretches;
  for (const std::size_t notifier : {0, 2, 4, 6}) {
    const std::uint64_t before = acting->stage->progress(0);
    acting->plain(notifier, 0, 1);
    stretches.insert(acting->stage->progress(0) - before - 1);
  }
  EXPECT_GT(stretches.size(), 1U);
  EXPECT_LE(*stretches.rbegin(), 10U);
}

/// Of barriers, one signal that rings and one that gives tokens.
TEST_P(WakeupConformance, IsMeasuredWithSixteenPairs) {
  if (const auto name = GetParam().mechanism->name; name != "futex" && name != "pipe") return;
  auto request = GetParam().request(tests::pinned(32, platform::allowed_cpus()));
  request.lines = 1;
  request.params = {{"pause", std::int64_t{100}}};
  request.outliers = {.factor = 1, .least_ns = 1, .most = 3};
  request.measure_ns = 30 * kMillisecond;
  const contract::Result result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  EXPECT_GE(result.counts.at("calls").found, result.warmup_ops + result.measured_ops);
  const contract::Held wake_ups = result.counts.at("wake-ups");
  EXPECT_FALSE(wake_ups.exact);
  EXPECT_LE(wake_ups.found, wake_ups.made);
  EXPECT_LT(wake_ups.made, result.measured_ops) << "of sampling windows alone";
  EXPECT_FALSE(result.distributions.at("call").counts.empty());
  ASSERT_TRUE(result.evidence);
  for (const contract::Outlier& outlier : result.evidence->outliers)
    EXPECT_EQ(outlier.of, outlier.thread % 2 == 0 ? "call" : "wake");
}

}  // namespace
}  // namespace threadping::wakeup

// What every mechanism of notify must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "notify/notify.hpp"
#include "platform/clock.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::notify {
namespace {

using tests::kForEver;
using tests::kMillisecond;

constexpr std::size_t kNotifier = 0;
constexpr std::size_t kWaiter = 1;

using Given = std::map<std::string, contract::Param>;

/// Without pauses, and hardly a buffer.
Given quick() { return {{"buffer", std::int64_t{64}}, {"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{0}}}; }

/// Pairs on one line, each side in a thread of its own.
class Players : public tests::Players {
 public:
  Players(const tests::Variant& variant, std::size_t pairs, const Given& given = quick())
      : tests::Players(variant.loops(1, 2 * pairs, given)) {}

  /// Lets a notifier call so often and leave.
  void call(std::size_t thread, std::uint64_t count) {
    start([this, thread, count] {
      EXPECT_EQ(loops->plain(thread, 0, count), count);
      loops->leave(thread, 0);
    });
  }

  /// Lets a waiter take what comes until its notifier has left.
  void take_all(std::size_t thread) {
    start([this, thread] {
      EXPECT_LT(loops->plain(thread, 0, kForEver), kForEver);
      loops->leave(thread, 0);
    });
  }
};

class NotifyConformance : public testing::TestWithParam<tests::Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, NotifyConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

TEST_P(NotifyConformance, LosesNoCall) {
  constexpr std::uint64_t kCalls = 2000;
  for (const std::size_t pairs : {1, 4}) {
    Players players(GetParam(), pairs);
    for (std::size_t thread = 0; thread < 2 * pairs; thread += 2) {
      players.call(thread, kCalls);
      players.take_all(thread + 1);
    }
    ASSERT_TRUE(players.end()) << "a call was lost";
    const contract::Counts counts = players.loops->counts(pairs * kCalls);
    EXPECT_EQ(counts.at("calls").found, pairs * kCalls);
    EXPECT_TRUE(counts.at("calls").exact);
    EXPECT_LE(counts.at("wake-ups").found, pairs * kCalls);
    EXPECT_EQ(counts.at("wake-ups").made, pairs * kCalls);
    EXPECT_FALSE(counts.at("wake-ups").exact);
  }
}

/// Orders come one after the other: who has left is called again.
TEST_P(NotifyConformance, LosesNoCallFromOrderToOrder) {
  constexpr std::uint64_t kOrders = 200;
  Players players(GetParam(), 1);
  for (const std::size_t thread : {kNotifier, kWaiter})
    players.start([&, thread] {
      for (std::uint64_t order = 0; order < kOrders; ++order) {
        players.loops->plain(thread, 0, thread == kNotifier ? order % 5 : order % 3);
        players.loops->leave(thread, 0);
      }
    });
  ASSERT_TRUE(players.end()) << "they have missed each other";
  EXPECT_EQ(players.loops->counts(0).at("calls").found, kOrders / 5 * (0 + 1 + 2 + 3 + 4));
}

TEST_P(NotifyConformance, TakesAllCallsThatCameAtOnce) {
  const auto loops = GetParam().loops(1, 2, quick());
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(loops->plain(kNotifier, 0, 70), 70U);
    EXPECT_EQ(loops->plain(kWaiter, 0, 1), 1U);
  }
  const contract::Counts counts = loops->counts(210);
  EXPECT_EQ(counts.at("calls").found, 210U);
  EXPECT_EQ(counts.at("wake-ups").found, 0U) << "it did not have to wait";
  loops->leave(kNotifier, 0);
  EXPECT_EQ(loops->plain(kWaiter, 0, 5), 0U) << "nothing comes any more";
}

/// More calls than any of them can hold that nobody takes.
TEST_P(NotifyConformance, BearsThatNobodyTakesItsCalls) {
  constexpr std::uint64_t kCalls = 100'000;
  const auto loops = GetParam().loops(1, 2, quick());
  EXPECT_EQ(loops->plain(kNotifier, 0, kCalls), kCalls);
  loops->leave(kNotifier, 0);
  EXPECT_EQ(loops->plain(kWaiter, 0, kForEver), 1U);
  loops->leave(kWaiter, 0);
  EXPECT_EQ(loops->counts(kCalls).at("calls").found, kCalls);
}

/// The call's beginning is the wake-up's.
TEST_P(NotifyConformance, TimesCallsAndTheWakeUpsThatTheyCause) {
  constexpr std::size_t kCalls = 30;
  std::array<engine::Timing, kCalls> calls{};
  std::vector<engine::Timing> wakes;
  Players players(GetParam(), 1);
  players.start([&] {
    for (engine::Timing& call : calls) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(players.loops->timed(kNotifier, 0, 0, std::span(&call, 1)), 1U);
    }
    players.loops->leave(kNotifier, 0);
  });
  players.start([&] {
    for (engine::Timing wake; players.loops->timed(kWaiter, 0, 0, std::span(&wake, 1)) == 1; wake = {})
      if (!wake.empty()) wakes.push_back(wake);
    players.loops->leave(kWaiter, 0);
  });
  ASSERT_TRUE(players.end());
  EXPECT_FALSE(wakes.empty());
  for (const engine::Timing& wake : wakes) {
    EXPECT_GE(wake.to_ns, wake.from_ns);
    EXPECT_NE(std::ranges::find(calls, wake.from_ns, &engine::Timing::from_ns), calls.end());
  }
  for (const engine::Timing& call : calls) EXPECT_GE(call.to_ns, call.from_ns);
  EXPECT_EQ(players.loops->counts(kCalls).at("calls").found, kCalls);
}

TEST_P(NotifyConformance, ComparesNothingWhereAWaiterDidNotFollowToTheEnd) {
  const auto loops = GetParam().loops(1, 2, quick());
  loops->plain(kNotifier, 0, 3);
  loops->leave(kNotifier, 0);
  EXPECT_TRUE(loops->counts(3).empty());
  loops->leave(kWaiter, 0);
  EXPECT_EQ(loops->counts(3).at("calls").found, 3U);
}

TEST_P(NotifyConformance, TellsNothingOfAWakeUpByACallThatNobodyTimed) {
  Players players(GetParam(), 1);
  engine::Timing wake;
  players.start([&] { EXPECT_EQ(players.loops->timed(kWaiter, 0, 0, std::span(&wake, 1)), 1U); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  players.loops->plain(kNotifier, 0, 1);
  ASSERT_TRUE(players.end());
  EXPECT_TRUE(wake.empty());
}

TEST_P(NotifyConformance, TellsNothingOfACallThatWasThereAlready) {
  const auto loops = GetParam().loops(1, 2, quick());
  engine::Timing call;
  engine::Timing wake;
  EXPECT_EQ(loops->timed(kNotifier, 0, 0, std::span(&call, 1)), 1U);
  EXPECT_EQ(loops->timed(kWaiter, 0, 0, std::span(&wake, 1)), 1U);
  EXPECT_FALSE(call.empty());
  EXPECT_TRUE(wake.empty());
}

TEST_P(NotifyConformance, StopEndsAWaiterWhereverItIs) {
  for (const std::uint64_t calls : {0, 1, 100}) {
    Players players(GetParam(), 2);
    for (const std::size_t waiter : {1, 3})
      players.start([&, waiter] {
        players.loops->plain(waiter, 0, kForEver);
        players.loops->leave(waiter, 0);
      });
    players.loops->plain(0, 0, calls);
    ASSERT_TRUE(players.stop());
    EXPECT_TRUE(players.loops->counts(calls).empty()) << "nothing is left to compare";
    EXPECT_EQ(players.loops->plain(kWaiter, 0, 1), 0U);
  }
}

TEST_P(NotifyConformance, StopEndsPauses) {
  const std::int64_t long_time = 100'000;
  Players players(GetParam(), 1, {{"pause", long_time}, {"waiter-pause", long_time}});
  players.loops->warmed_up();
  players.start([&] { players.loops->plain(kNotifier, 0, 3600); });
  players.start([&] { players.loops->plain(kWaiter, 0, 3600); });
  ASSERT_TRUE(players.stop());
}

TEST_P(NotifyConformance, ShowsProgressWithEveryCallAndEveryPause) {
  const auto loops = GetParam().loops(2, 2, {{"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{1}}});
  std::uint64_t last = loops->progress(1);
  const auto expect_progress = [&] { EXPECT_NE(std::exchange(last, loops->progress(1)), loops->progress(1)); };
  loops->plain(kNotifier, 1, 1);
  expect_progress();
  engine::Timing wake;
  loops->timed(kWaiter, 1, 0, std::span(&wake, 1));
  expect_progress();
  loops->between(kWaiter, 1);
  expect_progress();
  EXPECT_EQ(loops->progress(0), 0U);
}

TEST_P(NotifyConformance, CountsItsNotifiersOperations) {
  const auto loops = GetParam().loops(1, 4);
  for (const std::size_t thread : {0, 2}) EXPECT_TRUE(loops->counted(thread));
  for (const std::size_t thread : {1, 3}) EXPECT_FALSE(loops->counted(thread));
}

/// How often it pauses tells whether it does.
TEST_P(NotifyConformance, PausesItsNotifierWhenItIsWarm) {
  const auto loops = GetParam().loops(1, 2, {{"pause", std::int64_t{1}}, {"waiter-pause", std::int64_t{1}}});
  EXPECT_FALSE(loops->between(kNotifier, 0));
  EXPECT_TRUE(loops->between(kWaiter, 0));
  EXPECT_TRUE(loops->warmed_up());
  EXPECT_TRUE(loops->between(kNotifier, 0));
  const auto unpaused = GetParam().loops(1, 2, quick());
  EXPECT_FALSE(unpaused->warmed_up());
  EXPECT_FALSE(unpaused->between(kNotifier, 0));
  EXPECT_FALSE(unpaused->between(kWaiter, 0));
}

TEST_P(NotifyConformance, IsMeasuredWithSixteenPairs) {
  auto request = GetParam().request(tests::pinned(32, platform::allowed_cpus()));
  request.lines = 1;
  request.params = {{"pause", std::int64_t{100}}};
  request.outliers = {.factor = 1, .least_ns = 1, .most = 3};
  request.measure_ns = 30 * kMillisecond;
  const contract::Result result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  EXPECT_EQ(result.counts.at("calls").found, result.warmup_ops + result.measured_ops);
  EXPECT_FALSE(result.distributions.at("call").counts.empty());
  for (std::size_t waiter = 1; waiter < 32; waiter += 2)
    for (const std::uint64_t ops : result.windows.ops[waiter]) EXPECT_EQ(ops, 0U);
  ASSERT_TRUE(result.evidence);
  for (const contract::Outlier& outlier : result.evidence->outliers)
    EXPECT_EQ(outlier.of, outlier.thread % 2 == 0 ? "call" : "wake");
}

}  // namespace
}  // namespace threadping::notify

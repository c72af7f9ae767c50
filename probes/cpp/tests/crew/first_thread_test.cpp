// A first thread that leads, to the last operation: here they are over at once, so that only the request decides.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "crew/lead.hpp"
#include "crew/trial.hpp"
#include "support/loops.hpp"
#include "support/requests.hpp"
#include "toy/toy.hpp"

namespace threadping::crew {
namespace {

using message::Windows;
using tests::kHour;
using tests::kMillisecond;

const Experiment& led_by_the_first() { return toy::experiment(message::Unit::ops); }

/// A trial without warm-up whose windows are of 8 and 4 operations, found out in visits of 1, 2, 4 and 8.
message::Request small_visits() {
  auto request = tests::quick_request(led_by_the_first(), tests::unpinned(2));
  request.lines = 1;
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0, .look_ns = kHour};
  request.windows.plain = 8;
  request.windows.timed = 4;
  request.measure_ns = kHour;
  request.bound_ns = 2 * kHour;
  return request;
}
constexpr std::uint64_t kWarmupOps = 2 * (4 + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));  // lead-ins, plain, timed

message::Result run(const message::Request& request, std::unique_ptr<Loops> loops) {
  const Experiment& toy = led_by_the_first();
  return crew::run(request, toy, toy.mechanisms.front(), std::move(loops));
}

/// Is stopped in the first thread's loop of this number: from then on no loop completes more than `completes`.
class StopsAt : public tests::NoWork {
 public:
  StopsAt(int loop, std::uint64_t completes) : loops_left_(loop), completes_(completes) {}

  std::uint64_t plain(std::size_t thread, std::size_t /*line*/, std::uint64_t count) override {
    return thread == 0 && --loops_left_ <= 0 ? std::min(count, completes_) : count;
  }
  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t opened_ns,
                      std::span<std::uint64_t> durations) override {
    NoWork::timed(thread, line, opened_ns, durations);
    return plain(thread, line, durations.size());
  }

 private:
  int loops_left_;
  std::uint64_t completes_;
};

// Each visit is three loops: lead-in, plain and timed. Four visits are the warm-up.
constexpr int kWarmupLoops = 12;

TEST(FirstThread, KeepsATimedWindowAsFarAsItCame) {
  const message::Result result = run(small_visits(), std::make_unique<StopsAt>(kWarmupLoops + 6, 3));
  EXPECT_TRUE(result.cut);
  EXPECT_TRUE(result.warmup_complete);
  EXPECT_EQ(result.warmup_ops, kWarmupOps);
  EXPECT_EQ(result.measured_ops, 2 * (13U + 12U));
  const std::vector<std::uint64_t> ops{8, 4, 8, 3};
  EXPECT_EQ(result.windows.ops, (std::vector{ops, ops}));
  EXPECT_EQ(result.windows.kind,
            (std::vector{Windows::Kind::plain, Windows::Kind::timed, Windows::Kind::plain, Windows::Kind::timed}));
  EXPECT_EQ(result.windows.line, (std::vector<std::uint32_t>(4, 0)));
  EXPECT_EQ(result.windows.every, 1U);
  EXPECT_EQ(result.windows.ns[3], 3U) << "its durations, added up";
  EXPECT_EQ(result.distributions.at("increment").counts, (std::map<std::uint64_t, std::uint64_t>{{1, 7}}));
  EXPECT_EQ(result.distributions.at("increment").censored, 1U) << "the one that was stopped";
}

TEST(FirstThread, KeepsAPlainWindowAsFarAsItCame) {
  const message::Result result = run(small_visits(), std::make_unique<StopsAt>(kWarmupLoops + 5, 6));
  EXPECT_TRUE(result.cut);
  const std::vector<std::uint64_t> ops{8, 4, 6};
  EXPECT_EQ(result.windows.ops, (std::vector{ops, ops}));
  EXPECT_EQ(result.distributions.at("increment").censored, 0U);
}

TEST(FirstThread, KeepsNoWindowOfNothing) {
  const message::Result result = run(small_visits(), std::make_unique<StopsAt>(kWarmupLoops + 5, 0));
  EXPECT_EQ(result.windows.ops.front(), (std::vector<std::uint64_t>{8, 4}));
  const message::Result in_the_lead_in = run(small_visits(), std::make_unique<StopsAt>(kWarmupLoops + 4, 0));
  EXPECT_EQ(in_the_lead_in.windows.ops.front(), (std::vector<std::uint64_t>{8, 4}));
}

TEST(FirstThread, MeasuresNothingWhereItWasStoppedInTheWarmUp) {
  const message::Result result = run(small_visits(), std::make_unique<StopsAt>(kWarmupLoops, 3));
  EXPECT_TRUE(result.cut);
  EXPECT_EQ(result.warmup_ops, kWarmupOps - 2 * 1);
  EXPECT_EQ(result.measured_ops, 0U);
  EXPECT_EQ(result.windows.ops, (std::vector<std::vector<std::uint64_t>>(2)));
}

TEST(FirstThread, EndsWhenAResultHoldsNoMoreWindows) {
  auto request = small_visits();
  request.windows.plain = 1;
  request.windows.timed = 1;
  const message::Result result = run(request, std::make_unique<tests::NoWork>());
  EXPECT_FALSE(result.cut);
  EXPECT_EQ(result.windows.ns.size(), kMostWindows);
}

/// Notes how long the loops of the first thread are.
class Lengths : public tests::NoWork {
 public:
  explicit Lengths(std::map<std::uint64_t, int>& seen) : seen_(seen) {}
  std::uint64_t plain(std::size_t thread, std::size_t /*line*/, std::uint64_t count) override {
    if (thread == 0) ++seen_[count];
    return count;
  }

 private:
  std::map<std::uint64_t, int>& seen_;
};

TEST(UninterruptedRounds, AreOneLoopEachWhereTheLimitAllows) {
  auto request = small_visits();
  request.warmup = {.rounds = 3, .ops = 100'001, .limit_ns = kHour, .look_ns = kHour, .uninterrupted = true};
  request.measure_ns = kMillisecond;
  std::map<std::uint64_t, int> seen;
  const message::Result result = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen[50'001], 3) << "the threads share a round's operations";
  EXPECT_EQ(result.warmup_ops, kWarmupOps + 3 * 100'002U);
  EXPECT_TRUE(result.warmup_complete);
}

TEST(UninterruptedRounds, EndAtTheLimit) {
  auto request = small_visits();
  request.warmup = {
      .rounds = 1, .ops = 1'000'000'000'000, .limit_ns = 10 * kMillisecond, .look_ns = kHour, .uninterrupted = true};
  request.measure_ns = kMillisecond;
  const message::Result result = crew::run(request, led_by_the_first());  // its own operations take their time
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(result.windows.ns.size(), 2U);
}

TEST(Rounds, AreManyShortLoopsUnlessTheyAreToBeUninterrupted) {
  auto request = small_visits();
  request.warmup = {.rounds = 3, .ops = 100'000, .limit_ns = kHour, .look_ns = kHour};
  request.measure_ns = kMillisecond;
  std::map<std::uint64_t, int> seen;
  const message::Result result = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen.rbegin()->first, 8U);
  EXPECT_GE(result.warmup_ops, 300'000U);
  EXPECT_LT(result.warmup_ops, 300'000U + 2 * 13);
  EXPECT_TRUE(result.warmup_complete);
}

}  // namespace
}  // namespace threadping::crew

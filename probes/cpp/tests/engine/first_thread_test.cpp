// A first thread that leads, to the last operation: here they are over at once, so that only the request decides.

#include <gtest/gtest.h>

#include "engine/lead.hpp"
#include "engine/trial.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using tests::kHour;
using tests::kMillisecond;
using Ops = std::vector<std::uint64_t>;

const Experiment& toy() { return toy::experiment(contract::Unit::ops); }

/// A trial without warm-up whose windows are of 8 and 4 operations, found out in visits of 1, 2, 4 and 8.
contract::Request small_visits() {
  auto request = tests::quick_request(toy(), tests::unpinned(2));
  request.lines = 1;
  request.warmup = {.rounds = 0,
                    .ops = 1,
                    .steady = std::nullopt,
                    .limit_ns = kMillisecond,
                    .look_ns = kHour,
                    .uninterrupted = false};
  request.windows.throughput = 8;
  request.windows.sampling = 4;
  request.measure_ns = kHour;
  request.bound_ns = 2 * kHour;
  return request;
}
constexpr std::uint64_t kWarmupOps = 2 * (4ULL + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));  // lead-ins, plain, timed

contract::Result run(const contract::Request& request, std::unique_ptr<Stage> stage) {
  return engine::run(request, toy(), toy().mechanisms.front(), std::move(stage));
}

/// Is stopped in the first thread's loop of this number: from then on no loop completes more than `completes`.
class StopsAt : public tests::NoWork {
 public:
  StopsAt(int loop, std::uint64_t completes) : loops_left_(loop), completes_(completes) {}

  std::uint64_t run(std::size_t thread, const Task& task, Samples& samples) override {
    const std::uint64_t done = thread == 0 && --loops_left_ <= 0 ? std::min(task.count, completes_) : task.count;
    NoWork::run(thread, {.line = task.line, .count = done, .every = task.every, .opened_ns = task.opened_ns}, samples);
    return done;
  }

 private:
  int loops_left_;
  std::uint64_t completes_;
};

/// The windows' operations of a trial that was stopped in the second visit, and how many durations were censored. A
/// visit is three loops: lead-in, plain and timed; four visits are the warm-up, and one more is complete.
void expect_stopped(int in_loop, std::uint64_t completes, const Ops& ops, std::uint64_t censored) {
  const contract::Result result = run(small_visits(), std::make_unique<StopsAt>(15 + in_loop, completes));
  EXPECT_TRUE(result.cut);
  EXPECT_EQ(result.warmup_ops, kWarmupOps);
  EXPECT_EQ(result.windows.ops, std::vector(2, ops));
  const contract::Distribution& timed = result.distributions.at("increment");
  EXPECT_EQ(timed.censored, censored);
  EXPECT_EQ(timed.counts.at(1), 4 + (ops.size() > 3 ? ops[3] : 0));
}

TEST(FirstThread, KeepsAWindowThatWasStoppedAsFarAsItCame) {
  expect_stopped(1, 0, {8, 4}, 0);
  expect_stopped(2, 0, {8, 4}, 0);
  expect_stopped(2, 6, {8, 4, 6}, 0);
  expect_stopped(3, 3, {8, 4, 8, 3}, 1);
}

/// A million visits, without another thread to wait for.
TEST(FirstThread, EndsWhenAResultHoldsNoMoreWindows) {
  auto request = small_visits();
  request.cpus.resize(1);
  request.windows.throughput = 1;
  request.windows.sampling = 1;
  const contract::Result result = run(request, std::make_unique<tests::NoWork>());
  EXPECT_FALSE(result.cut);
  EXPECT_EQ(result.windows.ns.size(), kMostWindows);
}

/// Notes how long the loops of the first thread are.
class Lengths : public tests::NoWork {
 public:
  explicit Lengths(std::map<std::uint64_t, int>& seen) : seen_(seen) {}
  std::uint64_t run(std::size_t thread, const Task& task, Samples& samples) override {
    if (thread == 0) ++seen_[task.count];
    return NoWork::run(thread, task, samples);
  }

 private:
  std::map<std::uint64_t, int>& seen_;
};

TEST(Rounds, AreManyShortLoopsOrOneUninterrupted) {
  auto request = small_visits();
  request.warmup.rounds = 3;
  request.warmup.ops = 10'001;
  request.warmup.limit_ns = kHour;
  request.measure_ns = kMillisecond;
  std::map<std::uint64_t, int> seen;
  const contract::Result in_visits = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen.rbegin()->first, 8U);
  EXPECT_GE(in_visits.warmup_ops, 30'003U);
  EXPECT_LT(in_visits.warmup_ops, 30'003U + 2ULL * 13);
  EXPECT_EQ(in_visits.warmup_ended, contract::WarmupEnd::rounds);

  request.warmup.uninterrupted = true;
  const contract::Result whole = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen[5'001], 3) << "the threads share a round's operations";
  EXPECT_EQ(whole.warmup_ops, kWarmupOps + 3 * 10'002ULL);
  EXPECT_EQ(whole.warmup_ended, contract::WarmupEnd::rounds);
}

TEST(Rounds, ThatAreUninterruptedEndAtTheLimit) {
  auto request = small_visits();
  request.warmup = tests::endless_warmup(10 * kMillisecond);
  request.warmup.uninterrupted = true;
  request.measure_ns = kMillisecond;
  const contract::Result result = engine::run(request, toy());  // its own operations take their time
  EXPECT_FALSE(result.cut);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::limit);
  EXPECT_GE(result.windows.ns.size(), 2U);
}

/// The windows of the warm-up are the very ones that are measured, and nothing else is reported about them.
TEST(AWarmUp, IsOfTheWindowsThatWillBeMeasured) {
  auto request = small_visits();
  request.warmup = {
      .rounds = 1, .ops = 1000, .steady = 1.0, .limit_ns = kHour, .look_ns = kHour, .uninterrupted = false};
  request.lines = 6;
  request.measure_ns = kMillisecond;
  const contract::Result result = run(request, std::make_unique<tests::NoWork>());
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::steady);
  const contract::Windows& windows = result.windows;
  const auto warm = static_cast<std::size_t>(std::ranges::count(windows.warmup, true));
  EXPECT_GE(warm, 2U * 2 * 6) << "two stretches of as many windows as there are lines, and the sampling ones";
  EXPECT_LT(warm, windows.ns.size());
  EXPECT_TRUE(std::ranges::is_sorted(windows.warmup, std::greater{})) << "they come first";
  EXPECT_FALSE(windows.switches.has_value());
  std::uint64_t sampled = 0;
  for (std::size_t index = warm; index < windows.ns.size(); ++index)
    if (windows.kind[index] == contract::Windows::Kind::sampling) sampled += windows.ops[0][index];
  EXPECT_EQ(result.distributions.at("increment").counts.at(1), sampled);
}

TEST(AWarmUp, ThatNeverGetsSteadyEndsAtItsLimit) {
  auto request = small_visits();
  request.warmup = {
      .rounds = 0, .ops = 1, .steady = 1e-9, .limit_ns = kMillisecond, .look_ns = kHour, .uninterrupted = false};
  request.lines = 4096;
  request.measure_ns = kMillisecond;
  const contract::Result result = run(request, std::make_unique<tests::NoWork>());
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::limit);
  EXPECT_FALSE(result.cut);
}

}  // namespace
}  // namespace threadping::engine

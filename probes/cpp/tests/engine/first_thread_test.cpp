// A first thread that leads, to the last operation: here they are over at once, so that only the request decides.

#include <gtest/gtest.h>

#include "engine/lead.hpp"
#include "engine/trial.hpp"
#include "support/stages.hpp"
#include "support/requests.hpp"
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
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = kHour, .look_ns = kHour};
  request.windows.throughput = 8;
  request.windows.sampling = 4;
  request.measure_ns = kHour;
  request.bound_ns = 2 * kHour;
  return request;
}
constexpr std::uint64_t kWarmupOps = 2 * (4ULL + (1 + 2 + 4 + 8) + (1 + 1 + 2 + 4));  // lead-ins, plain, timed

contract::Result run(const contract::Request& request, std::unique_ptr<Loops> loops) {
  return engine::run(request, toy(), toy().mechanisms.front(), std::move(loops));
}

/// Is stopped in the first thread's loop of this number: from then on no loop completes more than `completes`.
class StopsAt : public tests::NoWork {
 public:
  StopsAt(int loop, std::uint64_t completes) : loops_left_(loop), completes_(completes) {}

  std::uint64_t plain(std::size_t thread, std::size_t /*line*/, std::uint64_t count) override {
    return thread == 0 && --loops_left_ <= 0 ? std::min(count, completes_) : count;
  }
  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t opened_ns,
                      std::span<Timing> timings) override {
    NoWork::timed(thread, line, opened_ns, timings);
    return plain(thread, line, timings.size());
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

TEST(FirstThread, EndsWhenAResultHoldsNoMoreWindows) {
  auto request = small_visits();
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
  std::uint64_t plain(std::size_t thread, std::size_t /*line*/, std::uint64_t count) override {
    if (thread == 0) ++seen_[count];
    return count;
  }

 private:
  std::map<std::uint64_t, int>& seen_;
};

TEST(Rounds, AreManyShortLoopsOrOneUninterrupted) {
  auto request = small_visits();
  request.warmup.rounds = 3;
  request.warmup.ops = 100'001;
  request.measure_ns = kMillisecond;
  std::map<std::uint64_t, int> seen;
  const contract::Result in_visits = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen.rbegin()->first, 8U);
  EXPECT_GE(in_visits.warmup_ops, 300'003U);
  EXPECT_LT(in_visits.warmup_ops, 300'003U + 2ULL * 13);
  EXPECT_TRUE(in_visits.warmup_complete);

  request.warmup.uninterrupted = true;
  const contract::Result whole = run(request, std::make_unique<Lengths>(seen));
  EXPECT_EQ(seen[50'001], 3) << "the threads share a round's operations";
  EXPECT_EQ(whole.warmup_ops, kWarmupOps + 3 * 100'002ULL);
  EXPECT_TRUE(whole.warmup_complete);
}

TEST(Rounds, ThatAreUninterruptedEndAtTheLimit) {
  auto request = small_visits();
  request.warmup = tests::endless_warmup(10 * kMillisecond);
  request.warmup.uninterrupted = true;
  request.measure_ns = kMillisecond;
  const contract::Result result = engine::run(request, toy());  // its own operations take their time
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(result.windows.ns.size(), 2U);
}

}  // namespace
}  // namespace threadping::engine

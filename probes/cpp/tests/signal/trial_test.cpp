// Whole trials of every mechanism.

#include "signal/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "message/result.hpp"
#include "signal/mechanisms_under_test.hpp"
#include "signal/visit.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

using message::Result;
using platform::CpuSet;
using tests::kHour;
using tests::kMillisecond;
using tests::quick_request;

std::uint64_t blocks_of(const Result& result) {
  std::uint64_t blocks = 0;
  for (const auto& line : result.lines) blocks += line.size();
  return blocks;
}

std::uint64_t singles_of(const Result& result) {
  std::uint64_t singles = 0;
  for (const auto& [value, count] : result.singles) singles += count;
  return singles;
}

/// The time inside blocks and singles.
double timed_ns(const Result& result) {
  double sum = 0;
  for (const auto& line : result.lines)
    sum += std::accumulate(line.begin(), line.end(), 0.0) * result.block_round_trips;
  for (const auto& [value, count] : result.singles) sum += static_cast<double>(value) * static_cast<double>(count);
  return sum;
}

/// What must be true of every trial that came to its end, to the last hand-over.
void expect_complete(const Result& result, const message::Request& request) {
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.partial);
  EXPECT_GE(result.measured_ns, request.measure_ns);
  EXPECT_GT(result.clock.cost_ns, 0.0);
  EXPECT_GE(result.warmup_ops, request.warmup.rounds * request.warmup.ops);
  EXPECT_TRUE(result.warmup_complete);

  ASSERT_EQ(result.lines.size(), request.lines);
  const std::uint64_t blocks = blocks_of(result);
  ASSERT_GE(blocks, 1U);
  EXPECT_GE(singles_of(result), blocks);
  const Visit visit = visit_of(result.block_round_trips);
  EXPECT_EQ(result.measured_ops, 2 * (blocks * (visit.lead_in + visit.block) + singles_of(result)));
  const auto [fewest, most] = std::ranges::minmax(result.lines, {}, &std::vector<double>::size);
  EXPECT_LE(most.size(), fewest.size() + 1) << "the lines are not visited in turn";
  EXPECT_LE(timed_ns(result), static_cast<double>(result.measured_ns) * (1 + 1e-9));

  ASSERT_EQ(result.threads.size(), 2U);
  EXPECT_EQ(result.threads[0].role, "ping");
  EXPECT_EQ(result.threads[1].role, "pong");
  for (std::size_t side = 0; side < 2; ++side) {
    const message::ThreadResult& thread = result.threads[side];
    const std::optional<int> cpu = request.cpus[side];
    const CpuSet wanted = cpu ? CpuSet{*cpu} : platform::allowed_cpus();
    EXPECT_EQ(thread.cpus_start, wanted);
    EXPECT_EQ(thread.cpus_end, wanted);
    EXPECT_GT(thread.counters.cpu_ns, 0U);
    EXPECT_TRUE(!cpu || thread.counters.migrations.value_or(0) == 0) << "a pinned thread has moved";
  }
}

template <class M>
class WholeTrial : public testing::Test {
 protected:
  static Result run(const message::Request& request) { return Trial<M>(request).run(); }
};
TYPED_TEST_SUITE(WholeTrial, MechanismsUnderTest, MechanismName);

TYPED_TEST(WholeTrial, OnTwoCpus) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  const auto request = quick_request(cpus->first, cpus->second);
  expect_complete(this->run(request), request);
}

TYPED_TEST(WholeTrial, Unpinned) {
  const auto request = quick_request(std::nullopt, std::nullopt);
  expect_complete(this->run(request), request);
}

TYPED_TEST(WholeTrial, OnOneCpuEndsInTime) {
  const int cpu = platform::allowed_cpus().front();
  auto request = quick_request(cpu, cpu);
  request.lines = 1;
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0};
  const Result result = this->run(request);
  if (TypeParam::kInfo.blocking) {
    expect_complete(result, request);
    // each hand-over needs the other thread to sleep
    EXPECT_GE(result.threads[0].counters.voluntary_switches, 1U);
    EXPECT_GE(result.threads[1].counters.voluntary_switches, 1U);
  } else {
    EXPECT_TRUE(result.cut || result.block_round_trips == 1) << "a block of " << result.block_round_trips;
  }
}

TYPED_TEST(WholeTrial, IsCutByItsBound) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.measure_ns = kHour;
  request.bound_ns = 30 * kMillisecond;
  const Result result = this->run(request);
  EXPECT_TRUE(result.cut);
  EXPECT_EQ(result.measured_ops % 2, 0U);
  EXPECT_EQ(result.threads[0].cpus_end, platform::allowed_cpus());
  EXPECT_EQ(result.threads[1].cpus_end, platform::allowed_cpus());
  if (result.partial) {
    EXPECT_LT(result.partial->line, request.lines);
    EXPECT_GE(result.partial->round_trips, 1U);
    EXPECT_LT(result.partial->round_trips, result.block_round_trips);
  }
}

TYPED_TEST(WholeTrial, IsCutByItsBoundInTheWarmUp) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kHour};
  request.bound_ns = 30 * kMillisecond;
  const Result result = this->run(request);
  EXPECT_TRUE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GT(result.warmup_ops, 0U);
  EXPECT_EQ(result.measured_ops, 0U);
  EXPECT_EQ(blocks_of(result), 0U);
  EXPECT_EQ(singles_of(result), 0U);
  EXPECT_FALSE(result.partial);
}

TYPED_TEST(WholeTrial, EndsItsWarmUpAtTheLimit) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kMillisecond};
  const Result result = this->run(request);
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(result.warmup_ns, kMillisecond);
  EXPECT_GE(blocks_of(result), 1U);
}

TEST(TrialOfNoCpu, NamesTheSideThatCannotBePinned) {
  const int here = platform::allowed_cpus().front();
  for (const auto& request : {quick_request(65535, here), quick_request(here, 65535), quick_request(65535, 65535)}) {
    try {
      Trial<CasOneLine>(request).run();
      FAIL() << "CPU 65535 was accepted";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::pin_failed);
    }
  }
}

}  // namespace
}  // namespace threadping::signal

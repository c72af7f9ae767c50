// Whole trials of every mechanism.

#include "lock/trial.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>

#include "lock/variants.hpp"
#include "platform/pinning.hpp"
#include "support/requests.hpp"

namespace threadping::lock {
namespace {

using message::LockResult;
using message::Window;
using platform::CpuSet;
using tests::kHour;
using tests::kMillisecond;
using tests::kSecond;
using tests::lock_request;

std::uint64_t ops_of(const Window& window) {
  return std::accumulate(window.ops.begin(), window.ops.end(), std::uint64_t{0});
}

/// What must be true of every trial that came to its end, to the last increment.
void expect_complete(const LockResult& result, const message::Request& request) {
  EXPECT_FALSE(result.cut);
  EXPECT_GE(result.measured_ns, request.measure_ns);
  EXPECT_TRUE(result.warmup_complete);
  EXPECT_GE(result.warmup_ops, request.warmup.rounds * request.warmup.ops);
  EXPECT_EQ(result.made, result.warmup_ops + result.measured_ops);
  EXPECT_TRUE(result.found == result.made || !result.exact);

  ASSERT_GE(result.windows.size(), 2U);
  std::uint64_t ns = 0;
  std::uint64_t ops = 0;
  for (const Window& window : result.windows) {
    EXPECT_LT(window.line, request.lines);
    EXPECT_EQ(window.ops.size(), request.cpus.size());
    ns += window.ns;
    ops += ops_of(window);
  }
  EXPECT_NE(result.windows[0].sampled, result.windows[1].sampled);
  EXPECT_EQ(result.windows[0].line, result.windows[1].line);
  EXPECT_LE(ns, result.measured_ns);
  EXPECT_LE(ops, result.measured_ops);

  ASSERT_EQ(result.threads.size(), request.cpus.size());
  for (std::size_t index = 0; index < result.threads.size(); ++index) {
    const message::ThreadResult& thread = result.threads[index];
    const auto cpu = request.cpus[index];
    const CpuSet wanted = cpu ? CpuSet{*cpu} : platform::allowed_cpus();
    EXPECT_EQ(thread.role, "worker");
    EXPECT_EQ(thread.cpus_start, wanted);
    EXPECT_EQ(thread.cpus_end, wanted);
    EXPECT_GT(thread.counters.cpu_ns, 0U);
  }
}

class WholeLockTrial : public testing::TestWithParam<std::tuple<Variant, std::size_t>> {};
INSTANTIATE_TEST_SUITE_P(Every, WholeLockTrial,
                         testing::Combine(testing::ValuesIn(variants()), testing::Values(1, 2, 5)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name() + "_" + std::to_string(std::get<1>(info.param));
                         });

TEST_P(WholeLockTrial, Pinned) {
  const auto& [variant, threads] = GetParam();
  const auto request = lock_request(threads, platform::allowed_cpus());
  expect_complete(variant.run(request), request);
}

class LockTrial : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, LockTrial, testing::ValuesIn(variants()), VariantName());

TEST_P(LockTrial, Unpinned) {
  const auto request = lock_request(2);
  expect_complete(GetParam().run(request), request);
}

TEST_P(LockTrial, OnOneCpu) {
  const auto request = lock_request(2, {platform::allowed_cpus().front()});
  expect_complete(GetParam().run(request), request);
}

/// A trial that came to its bound before it had measured anything, on a busy machine, gets more time.
TEST_P(LockTrial, IsCutByItsBound) {
  auto request = lock_request(2);
  request.measure_ns = kHour;
  LockResult result;
  for (request.bound_ns = 50 * kMillisecond; result.windows.empty() && request.bound_ns < 60 * kSecond;
       request.bound_ns *= 4)
    result = GetParam().run(request);
  EXPECT_TRUE(result.cut);
  EXPECT_GT(result.made, 0U);
  EXPECT_LT(result.measured_ns, request.measure_ns);
  EXPECT_EQ(result.threads[1].cpus_end, platform::allowed_cpus());
}

TEST_P(LockTrial, EndsItsWarmUpAtTheLimit) {
  auto request = lock_request(2);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kMillisecond};
  const LockResult result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(result.warmup_ns, kMillisecond);
  EXPECT_GE(result.windows.size(), 2U);
}

/// A trial of the first mechanism.
LockResult run_one(const message::Request& request) { return variants().front().run(request); }

TEST(TrialOfALock, KeepsItsWaitsForTheMeasuringTime) {
  const LockResult result = run_one(lock_request(1));
  std::uint64_t timed = 0;
  for (const auto& [value, count] : result.waits) timed += count;
  EXPECT_GT(timed, 0U);
  EXPECT_LE(timed * result.sample_every, result.measured_ops);
}

TEST(TrialOfALock, VisitsItsLinesInTurn) {
  auto request = lock_request(1);
  request.lines = 3;
  request.measure_ns =
      70 * kMillisecond;  // windows of 10 and 5 ms: every line at least once, unless it is disturbed a lot
  const LockResult result = run_one(request);
  for (std::size_t index = 2; index < result.windows.size(); index += 2)
    EXPECT_NE(result.windows[index].line, result.windows[index - 1].line);
}

TEST(TrialOfALock, IsRefusedWhereAWorkerCannotBePinned) {
  try {
    run_one(lock_request(3, {platform::allowed_cpus().front(), 65535}));
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::pin_failed);
  }
}

TEST(TrialOfALock, SaysHowManyThreadsTheSystemAllowed) {
  const auto request = lock_request(1200);
  std::size_t started = 0;
  const auto refuse_at_last = [&](const std::function<void()>& run) {
    if (started == 5) throw std::system_error(EAGAIN, std::generic_category());
    ++started;
    return std::thread(run);
  };
  try {
    Trial(request, variants().front().cells(request.lines, request.cpus.size()), refuse_at_last).run();
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::unsupported);
    const std::string why = failure.what();
    EXPECT_TRUE(why.starts_with("Only 5 of 1,200 threads could be started (")) << why;
    EXPECT_NE(why.find("ask for fewer with --threads."), std::string::npos) << why;
  }
}

TEST(TrialOfALock, CutInTheWarmUpHasNothingMeasured) {
  auto request = lock_request(2);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kHour};
  request.bound_ns = 30 * kMillisecond;
  const LockResult result = run_one(request);
  EXPECT_TRUE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_EQ(result.warmup_ops, result.made);
  EXPECT_EQ(result.measured_ops, 0U);
  EXPECT_TRUE(result.windows.empty());
  EXPECT_TRUE(result.waits.empty());
}

}  // namespace
}  // namespace threadping::lock

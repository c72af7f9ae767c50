// Whole trials of every mechanism.

#include "signal/trial.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "message/signal_result.hpp"
#include "signal/variants.hpp"
#include "signal/visit.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

using Result = message::SignalResult;
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

class WholeTrial : public testing::TestWithParam<Variant> {
 protected:
  static Result run(const message::Request& request) { return GetParam().run(request); }
};
INSTANTIATE_TEST_SUITE_P(Every, WholeTrial, testing::ValuesIn(variants(worth_a_trial)), VariantName());

TEST_P(WholeTrial, OnTwoCpus) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  const auto request = quick_request(cpus->first, cpus->second);
  expect_complete(run(request), request);
}

TEST_P(WholeTrial, Unpinned) {
  const auto request = quick_request(std::nullopt, std::nullopt);
  expect_complete(run(request), request);
}

TEST_P(WholeTrial, OnOneCpuEndsInTime) {
  const int cpu = platform::allowed_cpus().front();
  auto request = quick_request(cpu, cpu);
  request.lines = 1;
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0};
  const Result result = run(request);
  const auto wait = GetParam().given.find("wait");
  const bool keeps_the_cpu = wait != GetParam().given.end() &&
                             (wait->second == message::Param("spin") || wait->second == message::Param("pause"));
  if (keeps_the_cpu) {
    EXPECT_TRUE(result.cut || result.block_round_trips == 1) << "a block of " << result.block_round_trips;
    return;
  }
  expect_complete(result, request);
  for (const message::ThreadResult& side : result.threads)  // each hand-over needs the other side to give up the CPU
    EXPECT_GE(side.counters.voluntary_switches + side.counters.involuntary_switches, 1U);
}

TEST_P(WholeTrial, IsCutByItsBound) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.measure_ns = kHour;
  request.bound_ns = 30 * kMillisecond;
  const Result result = run(request);
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

TEST_P(WholeTrial, IsCutByItsBoundInTheWarmUp) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kHour};
  request.bound_ns = 30 * kMillisecond;
  const Result result = run(request);
  EXPECT_TRUE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GT(result.warmup_ops, 0U);
  EXPECT_EQ(result.measured_ops, 0U);
  EXPECT_EQ(blocks_of(result), 0U);
  EXPECT_EQ(singles_of(result), 0U);
  EXPECT_FALSE(result.partial);
}

TEST_P(WholeTrial, EndsItsWarmUpAtTheLimit) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 1'000'000, .ops = 1'000'000'000'000, .limit_ns = kMillisecond};
  const Result result = run(request);
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(result.warmup_ns, kMillisecond);
  EXPECT_GE(blocks_of(result), 1U);
}

/// A trial of cas-one-line between threads.
Result run_one(const message::Request& request) { return variants(between_threads).front().run(request); }

ErrorCode failure_of(const message::Request& request) {
  try {
    run_one(request);
  } catch (const Failure& failure) {
    return failure.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::internal;
}

TEST(TrialOfNoCpu, IsRefusedWhicheverSideCannotBePinned) {
  const int here = platform::allowed_cpus().front();
  for (const auto& request : {quick_request(65535, here), quick_request(here, 65535), quick_request(65535, 65535)})
    EXPECT_EQ(failure_of(request), ErrorCode::pin_failed);
}

/// The affinity of this process is changed, so it is put back.
class PinnedProcess : public testing::Test {
 protected:
  void TearDown() override { platform::pin_process(before_); }

 private:
  platform::CpuSet before_ = platform::allowed_cpus();
};

TEST_F(PinnedProcess, LetsBothSidesRunOnAllItsCpus) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  auto request = quick_request(cpus->second, cpus->first);
  request.pin = message::Pin::process;
  for (const message::ThreadResult& side : run_one(request).threads) {
    EXPECT_EQ(side.cpus_start, (CpuSet{cpus->first, cpus->second}));
    EXPECT_EQ(side.cpus_end, (CpuSet{cpus->first, cpus->second}));
  }
}

TEST_F(PinnedProcess, KeepsBothSidesOnItsOneCpu) {
  const int cpu = platform::allowed_cpus().back();
  auto request = quick_request(cpu, cpu);
  request.pin = message::Pin::process;
  request.lines = 1;
  for (const message::ThreadResult& side : run_one(request).threads) EXPECT_EQ(side.cpus_start, CpuSet{cpu});
}

TEST_F(PinnedProcess, IsRefusedWhereACpuIsMissing) {
  auto request = quick_request(platform::allowed_cpus().front(), 65535);
  request.pin = message::Pin::process;
  EXPECT_EQ(failure_of(request), ErrorCode::pin_failed);
}

TEST(LongRounds, AreTakenWholeWhereTheLimitAllows) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 3, .ops = 100'002, .limit_ns = kHour};
  request.bound_ns = kHour;
  const Result result = run_one(request);
  EXPECT_TRUE(result.warmup_complete);
  EXPECT_GE(result.warmup_ops, 3U * 100'002U);
  EXPECT_GE(blocks_of(result), 1U);
}

TEST(LongRounds, EndAtTheLimit) {
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 1, .ops = 1'000'000'000'000, .limit_ns = 10 * kMillisecond};
  const Result result = run_one(request);
  EXPECT_FALSE(result.cut);
  EXPECT_FALSE(result.warmup_complete);
  EXPECT_GE(blocks_of(result), 1U);
}

/// Cells that do what others do.
class Wrapped : public Cells {
 public:
  explicit Wrapped(std::unique_ptr<Cells> cells) : Cells(cells->sharing()), cells_(std::move(cells)) {}
  Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) override {
    return cells_->take_turns(side, line, first, count);
  }
  Taken stamp_turns(std::size_t line, std::uint64_t first, std::span<std::uint64_t> stamps) override {
    return cells_->stamp_turns(line, first, stamps);
  }
  void stop(std::size_t line) override { cells_->stop(line); }
  std::uint64_t peek(std::size_t line) override { return cells_->peek(line); }
  [[nodiscard]] std::size_t size() const override { return cells_->size(); }

 private:
  std::unique_ptr<Cells> cells_;
};

/// On a busy machine pong's thread is let onto its CPU late: the first visit then tells nothing of the pair.
TEST(TrialWhosePongComesLate, MeasuresAsLongAsItWasAskedTo) {
  class Late : public Wrapped {
   public:
    using Wrapped::Wrapped;
    Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) override {
      if (side == Side::pong && !std::exchange(came_, true)) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return Wrapped::take_turns(side, line, first, count);
    }

   private:
    bool came_ = false;
  };
  auto request = quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0};
  const Result result =
      Trial(request, std::make_unique<Late>(variants(between_threads).front().cells(request.lines))).run();
  EXPECT_GE(result.measured_ns, request.measure_ns);
}

/// A process whose partner dies would wait for ever.
TEST(TrialBetweenProcesses, NoticesThatPongDied) {
  const Variant variant = variants([](const Variant& one) { return !between_threads(one); }).front();
  class Deadly : public Wrapped {
   public:
    using Wrapped::Wrapped;
    Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) override {
      if (side == Side::pong) _exit(3);
      return Wrapped::take_turns(side, line, first, count);
    }
  };
  auto request = quick_request(std::nullopt, std::nullopt);
  request.bound_ns = 50 * kMillisecond;
  // its ping still waits in it when the test is over
  auto& trial = *std::make_unique<Trial>(request, std::make_unique<Deadly>(variant.cells(request.lines))).release();
  try {
    trial.run();
    FAIL() << "not noticed";
  } catch (const Unstoppable& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::internal);
    EXPECT_STREQ(failure.what(), "Pong's process ended before its time (exit status 3).");
  }
}

}  // namespace
}  // namespace threadping::signal

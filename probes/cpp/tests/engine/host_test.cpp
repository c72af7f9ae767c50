// What a managed runtime adds that the engine is a library of: visits of its own, and what it compiles and collects.

#include "engine/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "engine/trial.hpp"
#include "engine/worker.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using contract::Result;

/// Compiles for a millisecond in each visit, and collects twice in each of the first ones. Its operations take as long
/// as it says.
struct Managed : Host {
  Visited visit(Worker& worker, std::uint32_t /*line*/, const Visit& visit) override {
    visits.push_back(visit.throughput);
    const std::uint64_t ns = operation_ns(visits.size());
    worker.board().ops += visit.ops();
    return {.throughput_ns = ns * visit.throughput,
            .throughput = visit.throughput,
            .sampling_ns = ns * visit.sampling,
            .sampling = visit.sampling};
  }
  [[nodiscard]] bool managed() const override { return true; }
  contract::Managed upkeep() override {
    return {.compile_ms = compiles ? visits.size() : 0,
            .collections = 2 * std::min(visits.size(), collecting),
            .pauses = std::nullopt,
            .rested_ns = std::nullopt};
  }

  std::optional<platform::Activity> compilers() override { return look ? look() : std::nullopt; }

  std::function<std::optional<platform::Activity>()> look;
  std::function<std::uint64_t(std::size_t)> operation_ns = [](std::size_t /*visit*/) { return 10'000; };
  bool compiles = true;
  std::size_t collecting = SIZE_MAX;
  std::vector<std::uint64_t> visits;  ///< How many operations their throughput windows were to have.
};

/// In visits of 1, 2, 4, ... and 4,096 operations it finds out that they take nothing.
constexpr std::size_t kCalibration = 13;

contract::WarmupRequest warm_up(std::uint64_t ops) {
  contract::WarmupRequest warmup = tests::no_warmup(tests::kHour);
  warmup.rounds = 1;
  warmup.ops = ops;
  warmup.limit_ns = tests::kHour;
  return warmup;
}

/// A trial of one thread, whose visits are so long that an operation of 1,000 ns makes them 1,000 operations.
Result run_in(Managed& host, const contract::WarmupRequest& warmup, std::uint64_t bound_ns = 30 * tests::kSecond,
              bool blocking = false) {
  const Experiment& toy = toy::experiment(contract::Unit::ops);
  auto request = tests::quick_request(toy, tests::unpinned(1));
  request.lines = 1;
  request.windows.throughput = 4096;
  request.windows.sampling = 1024;
  request.measure_ns = 15 * tests::kMillisecond;
  request.warmup = warmup;
  request.bound_ns = bound_ns;
  Mechanism mechanism = toy.mechanisms.front();
  mechanism.blocking = blocking;
  return run(request, toy, mechanism, std::make_unique<tests::NoWork>(), host);
}

/// By the fastest visit of each stretch of four, where that changes much; and never while it measures.
TEST(AManagedRuntime, HasItsVisitsFittedAnewWhileItWarmsUp) {
  Managed host;
  std::uint64_t done = 0;
  host.operation_ns = [&](std::size_t visit) -> std::uint64_t {
    constexpr std::array<std::uint64_t, 8> kFirst{3000, 1000, 2000, 4000, 1200, 1300, 1200, 9000};
    done += host.visits.back();
    if (visit <= kCalibration) return 1;
    if (visit <= kCalibration + kFirst.size()) return kFirst[visit - kCalibration - 1];
    return done < 70'000 ? 500 : 100;
  };
  run_in(host, warm_up(60'000));
  std::vector<std::uint64_t> expected(4, 4096);
  expected.insert(expected.end(), 8, 1000);  // 833 would be nearly as many
  ASSERT_GT(host.visits.size(), kCalibration + 20);
  expected.resize(host.visits.size() - kCalibration, 2000);
  host.visits.erase(host.visits.begin(), host.visits.begin() + kCalibration);
  EXPECT_EQ(host.visits, expected);
}

/// In the tenth visit it collects for the last time, and two stretches follow, of four windows that are long enough.
TEST(AManagedRuntime, IsSteadyWhenItCollectsNoMore) {
  Managed host;
  host.operation_ns = [](std::size_t /*visit*/) { return 10 * tests::kMillisecond; };
  host.compiles = false;
  host.collecting = kCalibration + 10;
  auto warmup = warm_up(1);
  warmup.steady = 0.5;
  const Result result = run_in(host, warmup);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::steady);
  EXPECT_EQ(std::ranges::count(result.windows.warmup, true), 2 * (10 + 2 * 4));
}

/// Windows of a millisecond: both stretches last 15, however many windows that is.
TEST(AManagedRuntime, IsNotSteadyBeforeItsPaceLasted) {
  Managed host;
  host.compiles = false;
  host.collecting = kCalibration + 10;
  auto warmup = warm_up(1);
  warmup.steady = 0.5;
  const contract::Windows windows = run_in(host, warmup).windows;
  std::uint64_t since = 0;
  for (std::size_t window = 2 * std::size_t{10}; windows.warmup.at(window); ++window) since += windows.ns[window];
  EXPECT_GT(since, 30 * tests::kMillisecond);
  EXPECT_LT(since, 40 * tests::kMillisecond);
}

/// Twenty visits come with something compiled; two stretches of four follow.
TEST(AManagedRuntime, IsSteadyWhenItCompilesNoMore) {
  Managed host;
  host.operation_ns = [](std::size_t /*visit*/) { return 10 * tests::kMillisecond; };
  host.collecting = 0;
  host.look = [&] {
    return platform::Activity{.cpu_ns = std::min(host.visits.size(), kCalibration + 20) * tests::kSecond,
                              .awake = false};
  };
  auto warmup = warm_up(1);
  warmup.steady = 0.5;
  const Result result = run_in(host, warmup);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::steady);
  EXPECT_GE(std::ranges::count(result.windows.warmup, true), 2 * (20 + 2 * 4));
  EXPECT_EQ(result.managed->rested_ns, 0U);
}

/// Its threads sleep after eight visits, when it would be steady; where they block, two stretches of four follow.
TEST(AManagedRuntime, IsMadeNoVisitWhileACompilerHasWork) {
  for (const bool blocking : {false, true}) {
    Managed host;
    std::vector<std::size_t> visits;
    host.operation_ns = [](std::size_t /*visit*/) { return 10 * tests::kMillisecond; };
    host.collecting = 0;
    host.look = [&] {
      if (host.visits.size() > kCalibration) visits.push_back(host.visits.size());
      return platform::Activity{.cpu_ns = 0, .awake = !visits.empty() && visits.size() < 4};
    };
    auto warmup = warm_up(1);
    warmup.steady = 0.5;
    warmup.limit_ns = 10 * tests::kSecond;
    const Result result = run_in(host, warmup, 30 * tests::kSecond, blocking);
    EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::steady);
    ASSERT_GE(visits.size(), 4U);
    EXPECT_EQ(std::ranges::count(visits, visits.front()), 4);
    EXPECT_GT(result.managed->rested_ns, 0U);
    const std::size_t slept = visits.front() - kCalibration;
    EXPECT_EQ(slept, 8U);
    EXPECT_GE(std::ranges::count(result.windows.warmup, true), 2 * (blocking ? slept + 8 : slept));
  }
}

/// It sleeps twice as long as it may warm up, 2 ms at a time, and warms up as long as its limit says.
TEST(AManagedRuntime, IsNeverSteadyWhereACompilerAlwaysHasWork) {
  Managed host;
  std::size_t looks = 0;
  host.operation_ns = [](std::size_t /*visit*/) { return 10 * tests::kMillisecond; };
  host.collecting = 0;
  host.look = [&] {
    ++looks;
    return platform::Activity{.cpu_ns = 0, .awake = true};
  };
  auto warmup = warm_up(1);
  warmup.steady = 0.5;
  warmup.limit_ns = 20 * tests::kMillisecond;
  const Result result = run_in(host, warmup);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::limit);
  // One before the warm-up, one for each rest and one at each begin of rests, every 5 ms of warming up at most.
  EXPECT_GT(looks, 2U);
  EXPECT_LE(looks, 1U + 20 + 1 + 5);
}

TEST(AManagedRuntime, ReportsWhatItCompiledAndCollected) {
  Managed host;
  const Result result = run_in(host, warm_up(60'000));
  const std::size_t windows = result.windows.ns.size();
  ASSERT_TRUE(result.windows.compile_ms);
  ASSERT_EQ(result.windows.compile_ms->size(), windows);
  for (std::size_t window = 0; window < windows; ++window)
    EXPECT_EQ(result.windows.compile_ms->at(window), window % 2 == 0 ? 1 : 0)
        << "what comes in a visit is in its first";
  ASSERT_TRUE(result.managed);
  const auto warm = static_cast<std::size_t>(std::ranges::count(result.windows.warmup, true));
  EXPECT_GT(warm, 2U);
  EXPECT_EQ(result.managed->compile_ms, (windows - warm) / 2);
  EXPECT_EQ(result.managed->collections, windows - warm);
  EXPECT_FALSE(result.managed->rested_ns) << "it does not say when it compiles";
}

/// It does not know virtual ones.
TEST(AHost, MayHaveThreadsThatTheKernelDoesNotKnow) {
  struct Virtual : Host {
    [[nodiscard]] bool kernel_knows_threads() const override { return false; }
    platform::ThreadCounters counters(std::size_t worker) override {
      return {.cpu_ns = worker == 0 ? ++readings * 100 : 7};
    }
    std::uint64_t readings = 0;
  } host;
  const Experiment& toy = toy::experiment(contract::Unit::ns);
  auto request = tests::quick_request(toy, tests::unpinned(2));
  request.outliers = {.factor = 1, .least_ns = 1, .most = 5};
  const Result result = run(request, toy, toy.mechanisms.front(), std::make_unique<tests::NoWork>(), host);
  EXPECT_FALSE(result.windows.switches);
  EXPECT_FALSE(result.windows.cpus);
  EXPECT_FALSE(result.managed);
  EXPECT_FALSE(result.windows.compile_ms);
  EXPECT_EQ(result.threads[0].counters.cpu_ns, 100U);
  EXPECT_EQ(result.threads[0].counters.migrations, std::nullopt);
  EXPECT_EQ(result.threads[1].counters.cpu_ns, 0U);
  ASSERT_TRUE(result.evidence);
  EXPECT_EQ(result.evidence->looks, 0U);
  EXPECT_EQ(result.evidence->lacking.size(), 1U);
}

}  // namespace
}  // namespace threadping::engine

// Whole trials of every mechanism of every experiment.

#include "engine/trial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <set>

#include "engine/pace.hpp"
#include "engine/recorder.hpp"
#include "experiments/all.hpp"
#include "support/allocations.hpp"
#include "support/stages.hpp"
#include "support/variants.hpp"

namespace threadping::engine {
namespace {

using contract::Request;
using contract::Result;
using contract::Windows;
using platform::CpuSet;
using tests::kHour;
using tests::kMillisecond;
using tests::kSecond;
using tests::pinned;
using tests::unpinned;
using tests::Variant;

std::uint64_t sum(const std::vector<std::uint64_t>& values) { return std::reduce(values.begin(), values.end()); }

std::uint64_t samples(const contract::Distribution& distribution) {
  std::uint64_t all = 0;
  for (const auto& [value, count] : distribution.counts) all += count;
  return all;
}
std::uint64_t samples(const Result& result) {
  std::uint64_t all = 0;
  for (const auto& [name, distribution] : result.distributions) all += samples(distribution);
  return all;
}

/// Whether a thread's operations are the experiment's.
bool counts(std::size_t thread, const Request& request) {
  const Experiment& experiment = experiment_for(request);
  if (experiment.name == "queue") return thread == 1;
  if (experiment.name == "barrier") return thread == 0;
  return experiment.roles[thread % experiment.roles.size()].counts;
}

/// The operations in timed windows, of the threads that time.
std::uint64_t timed_ops(const Result& result, contract::Unit unit) {
  const Windows& windows = result.windows;
  std::uint64_t ops = 0;
  for (std::size_t thread = 0; thread < (unit == contract::Unit::ops ? 1 : windows.ops.size()); ++thread)
    for (std::size_t index = 0; index < windows.kind.size(); ++index)
      if (!windows.warmup[index] && windows.kind[index] == Windows::Kind::sampling) ops += windows.ops[thread][index];
  return ops;
}

/// What must be true of every result, be it cut or not.
void expect_sound(const Result& result, const Request& request, const Mechanism& mechanism) {
  EXPECT_EQ(result.experiment, request.experiment);
  EXPECT_EQ(result.mechanism, request.mechanism);
  EXPECT_GT(result.clock.cost_ns, 0.0);

  const Windows& windows = result.windows;
  EXPECT_EQ(windows.line.size(), windows.ns.size());
  EXPECT_EQ(windows.kind.size(), windows.ns.size());
  ASSERT_EQ(windows.ops.size(), request.cpus.size());
  EXPECT_EQ(windows.warmup.size(), windows.ns.size());
  EXPECT_EQ(windows.every.size(), windows.ns.size());
  EXPECT_EQ(windows.switches.has_value(), request.windows.unit == contract::Unit::ns);
  EXPECT_EQ(windows.switches.value_or(windows.ns).size(), windows.ns.size());
  EXPECT_EQ(windows.cpus.has_value(), may_share(request));
  EXPECT_EQ(windows.cpus.value_or(windows.ns).size(), windows.ns.size());
  for (const std::uint64_t cpus : windows.cpus.value_or(std::vector<std::uint64_t>{1})) {
    EXPECT_GE(cpus, 1U);
    EXPECT_LE(cpus, request.cpus.size());
  }
  std::uint64_t ops = 0;
  std::uint64_t ns = 0;
  for (const auto& column : windows.ops) ASSERT_EQ(column.size(), windows.ns.size());
  for (std::size_t index = 0; index < windows.ns.size(); ++index) {
    EXPECT_EQ(windows.every[index] == 0, windows.kind[index] == Windows::Kind::throughput);
    if (windows.warmup[index]) continue;
    ns += windows.ns[index];
    for (std::size_t thread = 0; thread < windows.ops.size(); ++thread)
      if (counts(thread, request)) ops += windows.ops[thread][index];
  }
  EXPECT_LE(ops, result.measured_ops);
  EXPECT_LE(ns, result.measured_ns);
  for (const std::uint32_t line : windows.line) EXPECT_LT(line, request.lines);

  EXPECT_GE(result.distributions.size(), mechanism.timed.size());
  const std::uint64_t timed = timed_ops(result, request.windows.unit);
  for (const std::string_view name : mechanism.timed) {
    ASSERT_TRUE(result.distributions.contains(std::string(name))) << name;
    const std::uint64_t all = samples(result.distributions.at(std::string(name)));
    if (request.windows.unit == contract::Unit::ops)
      EXPECT_EQ(all, timed);
    else if (experiment_for(request).open_loop)
      EXPECT_LE(all, result.measured_ops);
    else  // a window may end between a duration and the count of its operations
      EXPECT_LE(all, timed + request.cpus.size() * windows.ns.size() * Recorder::kCapacity);
  }

  for (const auto& [name, held] : result.counts) {
    EXPECT_TRUE(held.found == held.made || !held.exact);
    const std::uint64_t all = result.warmup_ops + result.measured_ops;
    EXPECT_TRUE(request.windows.unit == contract::Unit::ns || held.made == all);
    EXPECT_TRUE(held.made >= all || !held.exact);
  }

  ASSERT_EQ(result.threads.size(), request.cpus.size());
  for (std::size_t index = 0; index < result.threads.size(); ++index) {
    const auto cpu = request.cpus[index];
    const CpuSet wanted = cpu ? CpuSet{*cpu} : platform::allowed_cpus();
    EXPECT_EQ(result.threads[index].cpus_start, wanted);
    EXPECT_EQ(result.threads[index].cpus_end, wanted);
  }
}

/// A visit is a plain and a timed window on one line, and the lines are visited one after the other.
void expect_visits(Windows windows, const Request& request) {
  const std::ptrdiff_t warm = std::ranges::count(windows.warmup, true);
  EXPECT_TRUE(std::ranges::is_sorted(windows.warmup, std::greater{})) << "those of the warm-up come first";
  windows.ns.erase(windows.ns.begin(), windows.ns.begin() + warm);
  windows.line.erase(windows.line.begin(), windows.line.begin() + warm);
  windows.kind.erase(windows.kind.begin(), windows.kind.begin() + warm);
  ASSERT_GE(windows.ns.size(), 2U);
  ASSERT_EQ(windows.ns.size() % 2, 0U);
  std::set<std::uint32_t> first_round;
  for (std::size_t visit = 0; visit < windows.ns.size() / 2; ++visit) {
    const std::size_t first = 2 * visit;
    EXPECT_EQ(windows.line[first], windows.line[first + 1]);
    // an outsider alternates which comes first, so that what drifts falls on both alike
    const bool timed_first = request.windows.unit == contract::Unit::ns && visit % 2 == 1;
    EXPECT_EQ(windows.kind[first], timed_first ? Windows::Kind::sampling : Windows::Kind::throughput);
    EXPECT_EQ(windows.kind[first + 1], timed_first ? Windows::Kind::throughput : Windows::Kind::sampling);
    if (visit < request.lines)
      EXPECT_TRUE(first_round.insert(windows.line[first]).second) << "a line before its turn";
    else
      EXPECT_EQ(windows.line[first], windows.line[first - 2 * std::size_t{request.lines}]);
  }
}

/// What must be true of every trial that came to its end, to the last operation.
void expect_complete(const Result& result, const Request& request, const Mechanism& mechanism) {
  expect_sound(result, request, mechanism);
  EXPECT_FALSE(result.cut);
  EXPECT_GE(result.measured_ns, request.measure_ns);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::rounds);
  EXPECT_GE(result.warmup_ops, request.warmup.rounds * request.warmup.ops);
  EXPECT_FALSE(result.counts.empty());
  expect_visits(result.windows, request);
  if (request.windows.unit == contract::Unit::ops) {
    for (const auto& column : result.windows.ops) EXPECT_EQ(column, result.windows.ops.front());
    std::vector<std::uint64_t> ops = result.windows.ops.front();
    ops.erase(ops.begin(), ops.begin() + std::ranges::count(result.windows.warmup, true));
    const std::uint64_t lead_ins = ops.size() / 2 * visit_of(ops.front(), request.windows).lead_in;
    EXPECT_EQ(result.measured_ops, request.cpus.size() * (sum(ops) + lead_ins));
    EXPECT_EQ(result.distributions.begin()->second.censored, 0U);
  }
  for (std::size_t index = 0; index < result.threads.size(); ++index) {
    const platform::ThreadCounters& counters = result.threads[index].counters;
    EXPECT_GT(counters.cpu_ns, 0U);
    EXPECT_TRUE(!request.cpus[index] || counters.migrations.value_or(0) == 0) << "a pinned thread has moved";
  }
}

thread_local std::optional<std::uint64_t> last_seen;  // after the last loop of this thread

/// What was allocated by a thread inside its loops, and between how many pairs of them.
struct Noted {
  std::atomic<std::uint64_t> in_loops = 0;
  std::atomic<std::uint64_t> gaps = 0;
};

class Counting : public tests::Wrapped {
 public:
  Counting(std::unique_ptr<Stage> stage, std::array<Noted, 2>& noted) : Wrapped(std::move(stage)), noted_(noted) {}

  std::uint64_t run(std::size_t thread, Player& player, const Task& task, Samples& samples) override {
    Noted& noted = noted_[thread];
    const std::uint64_t before = tests::allocations_of_this_thread();
    if (before != last_seen.value_or(before)) ++noted.gaps;
    const std::uint64_t done = Wrapped::run(thread, player, task, samples);
    last_seen = tests::allocations_of_this_thread();
    noted.in_loops += *last_seen - before;
    return done;
  }

 private:
  std::array<Noted, 2>& noted_;
};

/// A std::deque takes memory and gives it back; that is what is measured of it. A library does with its threads what it
/// likes. A network trial has one thread only.
bool allocates_nothing(const tests::Variant& variant) {
  return tests::worth_a_look(variant) && variant.mechanism->name != "mutex-deque" && !tests::brings_threads(variant) &&
         variant.experiment->most_threads >= 2;
}

/// Between warm-up and measuring; and where windows are so short that they outgrow the capacity for visits of 5 us: the
/// column of bits can hold some more than the others.
void expect_allocations_only_where_counters_are_read(const std::array<Noted, 2>& noted, const Result& result,
                                                     const Request& request) {
  const std::uint64_t capacity = (2 * ((request.measure_ns + request.warmup.limit_ns) / 5'000)) + 1024;
  // A stream also flows on after the counters were read at the end.
  const std::uint64_t most = 1 + (experiment_for(request).stream ? 1 : 0) +
                             (2 * static_cast<std::uint64_t>(std::bit_width(result.windows.ns.size() / capacity)));
  for (const Noted& thread : noted) {
    EXPECT_EQ(thread.in_loops, 0U);
    EXPECT_GE(thread.gaps, 1U);
    EXPECT_LE(thread.gaps, most);
  }
}

class WholeTrial : public testing::TestWithParam<Variant> {
 protected:
  static void complete(const Request& request) {
    expect_complete(GetParam().run(request), request, *GetParam().mechanism);
  }
  static Result sound(const Request& request) {
    Result result = GetParam().run(request);
    expect_sound(result, request, *GetParam().mechanism);
    return result;
  }
  /// A trial that its bound cut, when it had come as far as is `enough`: on a busy machine it gets more time. Nobody
  /// waits for its patience. A first thread allocates all windows that it may come to, which are to be few.
  template <class Enough>
  static Result cut(Request request, Enough enough) {
    request.patience_ns = kHour;
    Result result;
    for (request.bound_ns = 10 * kMillisecond; !enough(result) && request.bound_ns < 60 * kSecond;
         request.bound_ns *= 4) {
      (request.warmup.limit_ns > 0 ? request.warmup.limit_ns : request.measure_ns) = kSecond + 10 * request.bound_ns;
      result = sound(request);
    }
    EXPECT_TRUE(enough(result));
    EXPECT_TRUE(result.cut);
    return result;
  }
  /// Whether the threads wait for each other, as ping and pong do.
  static bool in_turn() { return GetParam().experiment->name == "signal"; }
};
INSTANTIATE_TEST_SUITE_P(Every, WholeTrial, testing::ValuesIn(tests::variants(tests::worth_a_trial)),
                         tests::VariantName());

/// Nothing that is timed allocates.
TEST_P(WholeTrial, OnTwoCpus) {
  const auto& [experiment, mechanism, given] = GetParam();
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  auto request = GetParam().request({cpus->first, cpus->second});
  if (!allocates_nothing(GetParam())) return complete(request);
  request.outliers = {.factor = 1, .least_ns = 1, .most = 10};  // looking does not allocate either
  std::array<Noted, 2> noted;
  auto stage = std::make_unique<Counting>(GetParam().stage(request.lines, noted.size()), noted);
  const Result result = run(request, *experiment, *mechanism, std::move(stage));
  expect_complete(result, request, *mechanism);
  expect_allocations_only_where_counters_are_read(noted, result, request);
}

/// What the engine does alike with every mechanism is asked of two of each experiment: one whose threads sleep and one
/// whose threads do not.
bool speaks_for_the_others(const Variant& variant) {
  const std::vector<Mechanism>& all = variant.experiment->mechanisms;
  return tests::worth_a_look(variant) &&
         &*std::ranges::find(all, variant.mechanism->blocking, &Mechanism::blocking) == variant.mechanism;
}

/// Two threads on one CPU: each wait, and every lock, whose holder may have lost its CPU.
class OnOneCpu : public WholeTrial {};
INSTANTIATE_TEST_SUITE_P(Every, OnOneCpu, testing::ValuesIn(tests::variants([](const Variant& one) {
                           const std::string_view name = one.experiment->name;
                           const bool first = one.mechanism == &one.experiment->mechanisms.front();
                           return speaks_for_the_others(one) ||
                                  (tests::worth_a_trial(one) && one.between_threads() && (first || name == "lock"));
                         })),
                         tests::VariantName());

TEST_P(OnOneCpu, EndsInTime) {
  auto request = GetParam().request(pinned(2, {platform::allowed_cpus().front()}));
  request.lines = 1;
  request.warmup = tests::no_warmup();
  if (!in_turn()) return complete(request);
  const Result result = sound(request);
  const auto wait = GetParam().given.find("wait");
  const bool keeps_the_cpu = wait != GetParam().given.end() &&
                             (wait->second == contract::Param("spin") || wait->second == contract::Param("pause"));
  if (keeps_the_cpu) {
    // A time slice each, or a few where somebody else is let onto the CPU meanwhile.
    for (const std::uint64_t ops : result.windows.ops.front()) EXPECT_LE(ops, request.windows.throughput / 10);
    return;
  }
  expect_complete(result, request, *GetParam().mechanism);
  for (const contract::ThreadResult& side : result.threads)  // each operation needs the other to give up the CPU
    EXPECT_GE(side.counters.voluntary_switches + side.counters.involuntary_switches, 1U);
}

class TrialOfOne : public WholeTrial {};
INSTANTIATE_TEST_SUITE_P(Every, TrialOfOne, testing::ValuesIn(tests::variants(speaks_for_the_others)),
                         tests::VariantName());

/// One too that spins and one that sleeps in another process, which nothing else stops.
class TrialThatIsStopped : public WholeTrial {};
INSTANTIATE_TEST_SUITE_P(Every, TrialThatIsStopped, testing::ValuesIn(tests::variants([](const Variant& one) {
                           const std::string_view name = one.mechanism->name;
                           return speaks_for_the_others(one) || (tests::worth_a_trial(one) && !one.between_threads() &&
                                                                 (name == "cas-one-line" || name == "futex"));
                         })),
                         tests::VariantName());

TEST_P(TrialOfOne, Unpinned) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = tests::short_warmup();
  complete(request);
}

TEST_P(TrialThatIsStopped, IsCutByItsBound) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = tests::no_warmup();
  const Result result =
      cut(request, [](const Result& so_far) { return !so_far.windows.ns.empty() && so_far.measured_ops > 0; });
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::rounds);
  EXPECT_GT(result.measured_ops, 0U);
  EXPECT_LT(result.measured_ns, kHour);
}

TEST_P(TrialOfOne, IsCutByItsBoundInTheWarmUp) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = tests::endless_warmup(kHour);
  const Result result = cut(request, [](const Result& so_far) { return so_far.warmup_ops > 0; });
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::limit);
  EXPECT_EQ(result.measured_ops, 0U);
  EXPECT_TRUE(std::ranges::all_of(result.windows.warmup, [](bool warm) { return warm; }));
  EXPECT_EQ(samples(result), 0U);
}

TEST_P(TrialOfOne, EndsItsWarmUpAtTheLimit) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = tests::endless_warmup(kMillisecond);
  const Result result = sound(request);
  EXPECT_FALSE(result.cut);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::limit);
  EXPECT_GE(result.warmup_ns, kMillisecond);
  expect_visits(result.windows, request);
}

/// Rounds or not, until the pace is steady, or until the limit.
TEST_P(TrialOfOne, WarmsUpUntilItIsSteady) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = {.rounds = 0,
                    .ops = 1,
                    .steady = 0.5,
                    .limit_ns = kSecond / 2,
                    .look_ns = kMillisecond / 5,
                    .uninterrupted = false};
  const Result result = sound(request);
  EXPECT_NE(result.warmup_ended, contract::WarmupEnd::rounds);
  if (result.warmup_ended == contract::WarmupEnd::steady)
    EXPECT_GE(std::ranges::count(result.windows.warmup, true), 2 * 2 * 4);
  else
    EXPECT_GE(result.warmup_ns, request.warmup.limit_ns);
}

TEST_P(TrialOfOne, PerformsItsRoundsUninterruptedBeforeItsWindows) {
  auto request = GetParam().request(unpinned(2));
  request.warmup = tests::short_warmup();
  request.warmup.uninterrupted = true;
  const Result result = sound(request);
  EXPECT_EQ(result.warmup_ended, contract::WarmupEnd::rounds);
  EXPECT_EQ(std::ranges::count(result.windows.warmup, true), 0);
  EXPECT_GE(result.warmup_ops, request.warmup.rounds * request.warmup.ops);
}

class TrialOfMany : public WholeTrial {};
INSTANTIATE_TEST_SUITE_P(Every, TrialOfMany, testing::ValuesIn(tests::variants([](const Variant& one) {
                           return one.experiment->name == "lock" ||
                                  ((one.experiment->name == "wakeup" || one.experiment->name == "barrier") &&
                                   speaks_for_the_others(one));
                         })),
                         tests::VariantName());

TEST_P(TrialOfMany, IsLikeThatOfTwo) { complete(GetParam().request(pinned(6, platform::allowed_cpus()))); }

TEST(ATrialOfOneWorker, HasSamples) {
  auto request = tests::quick_request(lock::experiment(), unpinned(1));
  request.measure_ns = 300 * kMillisecond;  // some hundred windows: it gets a CPU in some
  EXPECT_GT(samples(run(request, lock::experiment())), 0U);
}

}  // namespace
}  // namespace threadping::engine

// What a trial makes of its request before and after its threads: what it refuses, what it pins, where its cells are
// made, and which counts it does not accept.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using contract::Request;
using contract::Result;
using platform::CpuSet;
using tests::unpinned;

/// How a quick trial of this experiment is refused that `change` has changed.
template <class Change>
std::string refusal_of(const Experiment& experiment, const tests::Cpus& cpus, Change change) {
  auto request = tests::quick_request(experiment, cpus);
  request.cpus = cpus;  // also where they are too many
  change(request);
  return tests::failure_of([&] { run(request, experiment); });
}
std::string refusal_of(const Experiment& experiment, const tests::Cpus& cpus) {
  return refusal_of(experiment, cpus, [](Request& /*request*/) {});
}

TEST(ATrial, OfSomethingUnknownIsRefused) {
  EXPECT_EQ(refusal_of(signal::experiment(), unpinned(2), [](auto& request) { request.mechanism = "cas-one-lin"; }),
            "unknown-mechanism: No mechanism 'cas-one-lin' in signal here.");
  EXPECT_EQ(refusal_of(lock::experiment(), unpinned(2), [](auto& request) { request.params["wait"] = "spin"; }),
            "unknown-param: mutex has no parameter 'wait'.");
}

TEST(ATrial, OfTooManyOrTooFewThreadsIsRefused) {
  for (const std::size_t threads : {1, 3})
    EXPECT_EQ(refusal_of(signal::experiment(), unpinned(threads)),
              "bad-request: signal takes 2 threads, ping and pong, not " + std::to_string(threads) + ".");
  EXPECT_EQ(refusal_of(lock::experiment(), unpinned(4097)), "bad-request: lock takes 1 to 4096 threads, not 4097.");
  EXPECT_EQ(refusal_of(wakeup::experiment(), unpinned(1)), "bad-request: wakeup takes 2 to 4096 threads, not 1.");
}

TEST(ATrial, OfThreadsWithoutACpuOfTheirOwnIsNotPinned) {
  Experiment virtual_threads = signal::experiment();
  virtual_threads.mechanisms.front().pinnable = false;
  EXPECT_EQ(refusal_of(virtual_threads, {std::nullopt, 0}),
            "bad-request: cas-one-line has virtual threads, which have no CPU of their own: measure it unpinned.");
  EXPECT_EQ(refusal_of(virtual_threads, unpinned(2)), "accepted");
}

TEST(ATrial, OfHalfAPairIsRefused) {
  for (const std::size_t threads : {3, 4095})
    EXPECT_EQ(refusal_of(wakeup::experiment(), unpinned(threads)),
              "bad-request: wakeup takes pairs of threads, each a notifier and a waiter, not " +
                  std::to_string(threads) + " threads.");
}

TEST(ATrial, WithWindowsOfAnotherUnitIsRefused) {
  const auto in = [](contract::Unit unit) { return [unit](auto& request) { request.windows.unit = unit; }; };
  EXPECT_EQ(refusal_of(signal::experiment(), unpinned(2), in(contract::Unit::ns)),
            "bad-request: The windows of signal are in ops.");
  EXPECT_EQ(refusal_of(lock::experiment(), unpinned(2), in(contract::Unit::ops)),
            "bad-request: The windows of lock are in ns.");
}

TEST(ATrial, WhereSomeThreadCannotBePinnedIsRefused) {
  const int here = platform::allowed_cpus().front();
  for (const Experiment* experiment : {&signal::experiment(), &lock::experiment()})
    for (const tests::Cpus& cpus : {tests::Cpus{65535, here}, tests::Cpus{here, 65535}, tests::Cpus{65535, 65535}}) {
      const std::string refusal = refusal_of(*experiment, cpus);
      EXPECT_TRUE(refusal.starts_with("pin-failed: CPU 65535 cannot be used here")) << refusal;
    }
}

/// The affinity of this process is changed, so it is put back.
class PinnedProcess : public testing::Test {
 protected:
  static void pin(Request& request) { request.pin = contract::Pin::process; }
  /// What both sides may use who are asked to run on these.
  static CpuSet used(const tests::Cpus& cpus) {
    auto request = tests::quick_request(signal::experiment(), cpus);
    pin(request);
    request.lines = 1;
    const auto threads = run(request, signal::experiment()).threads;
    for (const contract::ThreadResult& side : threads) {
      EXPECT_EQ(side.cpus_start, threads[0].cpus_start);
      EXPECT_EQ(side.cpus_end, threads[0].cpus_start);
    }
    return threads[0].cpus_start;
  }
  void TearDown() override { platform::pin_process(before_); }
  CpuSet before_ = platform::allowed_cpus();
};

TEST_F(PinnedProcess, LetsBothSidesRunOnAllItsCpus) {
  const int first = before_.front();
  const int last = before_.back();
  EXPECT_EQ(used({last, first}), platform::united({first}, {last}));
  platform::pin_process(before_);
  EXPECT_EQ(used({last, last}), CpuSet{last});
}

TEST_F(PinnedProcess, IsRefusedWhereACpuIsMissing) {
  const int here = before_.front();
  EXPECT_TRUE(refusal_of(signal::experiment(), {here, 65535}, pin).starts_with("pin-failed: "));
  EXPECT_EQ(refusal_of(signal::experiment(), {here, std::nullopt}, pin),
            "bad-request: With pin 'process' either every thread has a CPU or none has.");
}

/// Where cells were made, on which CPUs and by which thread, and of what.
struct Made {
  CpuSet cpus;
  std::thread::id thread;
  bool blocking;
} made;  // what makes a stage is a plain function

Experiment noting_where_cells_are_made() {
  Experiment toy = toy::experiment(contract::Unit::ops);
  toy.mechanisms.front().make = [](const Setup& setup) -> std::unique_ptr<Stage> {
    made = {.cpus = platform::allowed_cpus(), .thread = std::this_thread::get_id(), .blocking = setup.blocking};
    return toy::experiment(contract::Unit::ops).mechanisms.front().make(setup);
  };
  return toy;
}

TEST(AStage, KnowsWhetherItsMechanismBlocks) {
  Experiment toy = noting_where_cells_are_made();
  for (const bool blocking : {true, false}) {
    toy.mechanisms.front().blocking = blocking;
    run(tests::quick_request(toy, unpinned(2)), toy);
    EXPECT_EQ(made.blocking, blocking);
  }
}

TEST(AHome, IsWhereTheCellsAreMadeAndNothingElse) {
  const Experiment toy = noting_where_cells_are_made();
  auto request = tests::quick_request(toy, unpinned(2));
  const CpuSet before = platform::allowed_cpus();
  for (const CpuSet& home : {CpuSet{before.front()}, CpuSet{before.back()}, before}) {
    request.home = home;
    const Result result = run(request, toy);
    EXPECT_EQ(made.cpus, home);
    EXPECT_NE(made.thread, std::this_thread::get_id());
    EXPECT_EQ(platform::allowed_cpus(), before);
    EXPECT_EQ(result.threads[0].cpus_start, before);
    EXPECT_TRUE(!result.home_nodes || !result.home_nodes->empty());
  }
  request.home.reset();
  run(request, toy);
  EXPECT_EQ(made.thread, std::this_thread::get_id()) << "anywhere";
  const std::string refusal = refusal_of(toy, unpinned(2), [](auto& wanted) { wanted.home = CpuSet{65535}; });
  EXPECT_TRUE(refusal.starts_with("pin-failed: CPU 65535 cannot be used here")) << refusal;
}

/// All but the last thread have the second role; of each, the clock is held against that of the last.
class OutOfTurn : public tests::NoWork {
 public:
  explicit OutOfTurn(std::size_t threads) : last_(threads - 1) {}
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread == last_ ? 0 : 1; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override {
    return one == last_ || other == last_;
  }

 private:
  std::size_t last_;
};

Experiment out_of_turn() {
  Experiment toy = toy::experiment(contract::Unit::ns);
  toy.most_threads = 5;
  return toy;
}

Result result_of(const tests::Cpus& cpus) {
  const Experiment toy = out_of_turn();
  return run(tests::quick_request(toy, cpus), toy, toy.mechanisms.front(), std::make_unique<OutOfTurn>(cpus.size()));
}

TEST(Roles, AreTheStageToGive) {
  EXPECT_EQ(refusal_of(out_of_turn(), unpinned(1)), "bad-request: toy takes 2 to 5 threads, not 1.");
  const Result result = result_of(unpinned(3));
  EXPECT_EQ(result.threads[0].role, "right");
  EXPECT_EQ(result.threads[1].role, "right");
  EXPECT_EQ(result.threads[2].role, "left");
}

/// Times what lasts as its role says; the last role has numbers and tallies too.
class ByRole : public tests::NoWork {
 public:
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread % 3; }
  std::uint64_t run(std::size_t thread, const Task& task, Samples& samples) override {
    const std::uint64_t now = platform::now_ns();
    for (std::uint64_t each = 0; task.every > 0 && each < task.count; each += task.every)
      samples.add(now - 10 - role_of(thread), now);
    if (role_of(thread) == 2) {
      samples.number(1, 3);
      samples.tally(1, 2, 1);
    }
    std::this_thread::yield();  // there are more threads than CPUs
    return task.count;
  }
};

TEST(Roles, HaveTheirNamesTheirDurationsTheirNumbersAndTheirTallies) {
  static constexpr std::array<NumberInfo, 2> kNumbers{
      {{.name = "weights", .unit = "grams"}, {.name = "sizes", .unit = "stones"}}};
  static constexpr std::array<std::string_view, 2> kTallies{"catches", "throws"};
  static constexpr std::array<Role, 3> kRoles{
      {{.name = "red", .counts = true},
       {.name = "green", .counts = true},
       {.name = "blue", .counts = true, .numbers = kNumbers, .tallies = kTallies}}};
  static constexpr std::array<std::string_view, 2> kTimed{"first", "others"};
  Experiment three = toy::experiment(contract::Unit::ns);
  three.roles = kRoles;
  three.most_threads = 6;
  three.stream = three.open_loop = true;  // so that all is recorded that anybody does while it is measured
  three.mechanisms.front().timed = kTimed;
  auto request = tests::quick_request(three, unpinned(6));
  request.measure_ns = 30 * tests::kMillisecond;
  const Result result = run(request, three, three.mechanisms.front(), std::make_unique<ByRole>());
  std::string roles;
  for (const contract::ThreadResult& thread : result.threads) roles += thread.role + " ";
  EXPECT_EQ(roles, "red green blue red green blue ");
  std::string values;
  for (const auto& [name, all] : result.distributions) {
    values += name + " in " + all.unit + ":";
    for (const auto& [value, count] : all.counts) values += " " + std::to_string(value);
    values += "; ";
  }
  EXPECT_EQ(values, "first in ns: 10; others in ns: 11 12; sizes in stones: 3; weights in grams:; ");
  ASSERT_EQ(result.counts.size(), 1U) << "nobody caught any";
  const contract::Held& thrown = result.counts.at("throws");
  EXPECT_GT(thrown.found, 0U);
  EXPECT_EQ(thrown.made, 2 * thrown.found);
  EXPECT_FALSE(thrown.exact);
}

TEST(Clocks, AreComparedOfThoseWhoSayThatTheyCompareReadingsAndArePinnedApart) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  const auto [first, last] = *cpus;
  const Result result = result_of({first, first, last});
  ASSERT_TRUE(result.skew);
  EXPECT_LE(result.skew->least_ns, result.skew->most_ns);
  EXPECT_FALSE(result_of(unpinned(2)).skew);
  EXPECT_FALSE(result_of({first, std::nullopt}).skew);
  EXPECT_FALSE(result_of({last, last}).skew);
  EXPECT_FALSE(result_of({first, last, std::nullopt}).skew) << "those on two CPUs do not compare";
}

/// Says of two clocks, each time that it compares them, what comes next here; and notes which CPUs' they are.
struct Comparing : Host {
  std::optional<platform::Skew> skew(int one, int other) override {
    compared.insert({one, other});
    return skews.size() > 1 ? std::exchange(skews.front(), skews.back()) : skews.front();
  }

  std::vector<platform::Skew> skews{{}};
  std::set<std::pair<int, int>> compared;
};

TEST(Clocks, AreComparedBeforeAndAfterAndBothHold) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  const Experiment toy = out_of_turn();
  Comparing host;
  host.skews = {{.least_ns = -10, .most_ns = 50}, {.least_ns = 20, .most_ns = 90}};
  const Result result = run(tests::quick_request(toy, {cpus->first, cpus->second}), toy, toy.mechanisms.front(),
                            std::make_unique<OutOfTurn>(2), host);
  ASSERT_TRUE(result.skew);
  EXPECT_EQ(result.skew->least_ns, 20);
  EXPECT_EQ(result.skew->most_ns, 50);
}

/// Says of pairs of CPUs that they are as far apart as there were pings, and knows nothing of every third.
struct Pinging : Host {
  std::optional<double> ping(int /*one*/, int /*other*/) override {
    return ++pings % 3 == 0 ? std::nullopt : std::optional<double>(pings);
  }
  int pings = 0;
};

std::string in_words(const std::vector<contract::Ping>& pings) {
  std::string words;
  std::uint64_t since = 0;
  for (const contract::Ping& ping : pings) {
    words += std::to_string(ping.cpus.first) + "," + std::to_string(ping.cpus.second) +
             (ping.after ? " after " : " before ") + (ping.ns ? std::to_string(std::lround(*ping.ns)) : "?") + "; ";
    EXPECT_GE(ping.at_ns, since);
    since = ping.at_ns;
  }
  return words;
}

TEST(Pings, AreTakenOfThePairsThatTheRequestNamesBeforeAndAfterMeasuring) {
  for (const contract::Unit unit : {contract::Unit::ops, contract::Unit::ns}) {
    const Experiment toy = toy::experiment(unit);
    auto request = tests::quick_request(toy, unpinned(2));
    Pinging none;
    EXPECT_EQ(in_words(run(request, toy, toy.mechanisms.front(), std::make_unique<tests::NoWork>(), none).pings), "");
    request.pings = {{4, 7}, {2, 3}};
    Pinging host;
    const Result result = run(request, toy, toy.mechanisms.front(), std::make_unique<tests::NoWork>(), host);
    EXPECT_EQ(in_words(result.pings), "4,7 before 1; 2,3 before 2; 4,7 after ?; 2,3 after 4; ");
    EXPECT_FALSE(result.cut);
    EXPECT_GE(result.measured_ns, request.measure_ns);
  }
}

/// Threads that keep a schedule would be behind it when they have slept.
TEST(Pings, AreTakenOfNoScheduleThatThreadsKeep) {
  Experiment load = toy::experiment(contract::Unit::ns);
  load.stream = load.open_loop = true;
  auto request = tests::quick_request(load, unpinned(2));
  request.pings = {{0, 1}};
  Pinging host;
  EXPECT_EQ(in_words(run(request, load, load.mechanisms.front(), std::make_unique<tests::NoWork>(), host).pings), "");
}

/// Of CPUs that no machine has; before anybody is pinned there.
TEST(Clocks, OfEightPairsOfCpusAreComparedAtMost) {
  tests::Cpus cpus;
  for (int cpu = 65'000; cpu < 65'010; ++cpu) cpus.insert(cpus.end(), {cpu, cpu});
  const Experiment toy = out_of_turn();
  auto request = tests::quick_request(toy, cpus);
  request.cpus = cpus;
  Comparing host;
  const std::string refusal = tests::failure_of(
      [&] { run(request, toy, toy.mechanisms.front(), std::make_unique<OutOfTurn>(cpus.size()), host); });
  EXPECT_TRUE(refusal.starts_with("pin-failed: ")) << refusal;
  EXPECT_EQ(host.compared.size(), 8U);
}

TEST(AStream, HasOneLine) {
  EXPECT_EQ(refusal_of(wakeup::experiment(), unpinned(2), [](auto& request) { request.lines = 2; }),
            "bad-request: wakeup is a stream, which has one line, not 2.");
}

TEST(ATrial, OfMoreMemoryThanThereMayBeIsRefused) {
  const std::string cells = refusal_of(lock::experiment(), unpinned(512), [](auto& request) {
    request.mechanism = "mcs-lock";
    request.lines = 65'536;
  });
  EXPECT_TRUE(cells.starts_with("bad-request: Of memory the cells would take 4,352 MiB, and may take ")) << cells;
  EXPECT_TRUE(cells.ends_with(": ask for fewer lines or threads, or for a smaller buffer.")) << cells;
  const std::string why = refusal_of(signal::experiment(), unpinned(2),
                                     [](auto& request) { request.windows.sampling = 1'000'000'000'000; });
  EXPECT_TRUE(why.starts_with("bad-request: Of memory the samples of a window would take ")) << why;
}

/// Each of them alone would be granted.
TEST(ATrial, OfCellsAndSamplesThatAreTooMuchTogetherIsRefused) {
  const std::uint64_t half = platform::bytes_left() / 2;
  const std::string why = refusal_of(signal::experiment(), unpinned(2), [&](auto& request) {
    request.lines = static_cast<std::uint32_t>(std::min<std::uint64_t>(65'536, half / (2 * platform::kPage)));
    request.windows.sampling = (platform::bytes_left() - half / 4) / sizeof(Timing);
  });
  EXPECT_TRUE(why.starts_with("bad-request: Of memory the samples of a window would take ")) << why;
}

/// Claims that more were found than made, by this number.
class Found : public tests::NoWork {
 public:
  Found(bool exact, std::int64_t more)
      : held_{.made = 1'234'567, .found = 1'234'567 + static_cast<std::uint64_t>(more), .exact = exact} {}
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> /*ops*/) const override {
    return {{"pebbles", held_}};
  }

 private:
  contract::Held held_;
};

std::string verdict_on(bool exact, std::int64_t more) {
  const Experiment& toy = toy::experiment(contract::Unit::ops);
  return tests::failure_of([&] {
    run(tests::quick_request(toy, unpinned(2)), toy, toy.mechanisms.front(), std::make_unique<Found>(exact, more));
  });
}

TEST(Counts, ThatAreExactMustBeEqual) {
  EXPECT_EQ(verdict_on(true, 0), "accepted");
  EXPECT_EQ(verdict_on(true, -3), "count-wrong: Of 1,234,567 pebbles that were made, 1,234,564 were found: 3 lost.");
  EXPECT_EQ(verdict_on(true, 12'345),
            "count-wrong: Of 1,234,567 pebbles that were made, 1,246,912 were found: 12,345 doubled.");
  EXPECT_EQ(verdict_on(false, -3), "accepted") << "the difference is the result";
}

}  // namespace
}  // namespace threadping::engine

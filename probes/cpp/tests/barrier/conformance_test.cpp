// What every mechanism of barrier must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/barrier/players.hpp"
#include "mechanisms/barriers/words.hpp"
#include "support/failures.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::barrier {
namespace {

using tests::kForEver;
using tests::Variant;

using Given = std::map<std::string, contract::Param>;

Given given(std::initializer_list<std::pair<const char*, std::int64_t>> numbers) {
  Given all;
  for (const auto& [name, number] : numbers) all[name] = number;
  return all;
}

/// A coordinator and its workers, each in a thread of its own.
class Barrier : public tests::Players {
 public:
  Barrier(const Variant& variant, const Given& given, std::size_t threads = 4)
      : tests::Players(variant.acting(1, threads, given)), threads_(threads) {}

  /// The coordinator begins `rounds` rounds, all timed where `every` is 1, and leaves; so do all others.
  void play(std::uint64_t rounds, std::uint32_t every) {
    for (std::size_t thread = 1; thread < threads_; ++thread) start([this, thread] { acting->leave(thread); });
    start([this, rounds, every] {
      EXPECT_EQ(acting->run(0, {.count = rounds, .every = every}), rounds);
      acting->leave(0);
    });
  }

 private:
  const std::size_t threads_;
};

bool played_here(const Variant& variant) { return tests::worth_asking(variant) && !tests::brings_threads(variant); }

class BarrierConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, BarrierConformance, testing::ValuesIn(tests::variants_of(experiment(), played_here)),
                         tests::VariantName());

TEST_P(BarrierConformance, HasEveryWorkerTakePartInEveryRoundOnce) {
  for (const std::size_t threads : {2, 3, 6}) {
    constexpr std::uint64_t kRounds = 60;
    Barrier barrier(GetParam(), given({{"work", 3}, {"imbalance", 50}}), threads);
    barrier.play(kRounds, 1);
    ASSERT_TRUE(barrier.end()) << "a worker was not woken";
    const contract::Held rounds = barrier.acting->counts().at("rounds");
    EXPECT_TRUE(rounds.exact);
    EXPECT_EQ(rounds.made, kRounds * (threads - 1));
    EXPECT_EQ(rounds.found, rounds.made);
  }
}

/// Fewer jobs than workers, as many, and more; where a round chooses whom it wants, each takes its turn.
TEST_P(BarrierConformance, DealsItsJobs) {
  for (const std::int64_t jobs : {1, 2, 3, 4, 11}) {
    constexpr std::uint64_t kRounds = 24;
    Barrier barrier(GetParam(), given({{"work", 1}, {"jobs", jobs}}));
    barrier.play(kRounds, 1);
    ASSERT_TRUE(barrier.end()) << jobs << " jobs";
    const contract::Held rounds = barrier.acting->counts().at("rounds");
    EXPECT_EQ(rounds.found, rounds.made) << jobs;
    EXPECT_TRUE(rounds.made == kRounds * 3 || rounds.made == kRounds * static_cast<std::uint64_t>(jobs)) << jobs;
  }
}

/// Of each timed round the call, and from its start the first, the last, what lies between, and all done.
TEST_P(BarrierConformance, ReportsEachTimedRound) {
  for (const char* join : {"yes", "no"}) {
    Given asked = given({{"work", 10}});
    asked["join"] = std::string(join);
    Barrier barrier(GetParam(), asked);
    barrier.play(24, 8);
    ASSERT_TRUE(barrier.end());
    const std::vector<engine::Timing> calls = barrier.acting->taken(0);
    const std::vector<std::uint64_t>& numbers = barrier.acting->samples[0]->numbers;
    ASSERT_EQ(calls.size(), 3U) << "one of eight";
    ASSERT_EQ(numbers.size(), 12U);
    EXPECT_EQ(barrier.acting->samples[0]->readings(), 3U * (3 + 3));
    for (std::size_t round = 0; round < calls.size(); ++round) {
      const std::uint64_t* times = &numbers[4 * round];
      EXPECT_LE(times[kFirst], times[kLast]);
      EXPECT_EQ(times[kSpread], times[kLast] - times[kFirst]);
      EXPECT_LE(times[kLast], times[kDone]) << "who has not begun is not done";
    }
    for (std::size_t thread = 1; thread < 4; ++thread) EXPECT_TRUE(barrier.acting->taken(thread).empty());
  }
}

TEST_P(BarrierConformance, ReadsNoClockInAThroughputWindow) {
  Barrier barrier(GetParam(), {});
  barrier.play(50, 0);
  ASSERT_TRUE(barrier.end());
  for (std::size_t thread = 0; thread < 4; ++thread) {
    EXPECT_EQ(barrier.acting->samples[thread]->readings(), 0U);
    EXPECT_TRUE(barrier.acting->taken(thread).empty());
  }
}

TEST_P(BarrierConformance, StopEndsItWhereverItIs) {
  for (const std::uint64_t point : {1, 2, 40}) {
    Barrier barrier(GetParam(), {});
    for (std::size_t thread = 0; thread < 4; ++thread)
      barrier.start([&, thread] {
        EXPECT_LT(barrier.acting->plain(thread, 0, kForEver), kForEver);
        barrier.acting->leave(thread);
      });
    while (barrier.acting->stage->progress(0) < point) std::this_thread::yield();
    ASSERT_TRUE(barrier.stop()) << "from " << point << " on";
    EXPECT_TRUE(barrier.acting->counts().empty()) << "nothing is left to compare";
  }
}

/// A thread that sleeps at a word only where that is still what it saw.
struct AboutToSleep {
  static inline std::function<void()> meanwhile;

  AboutToSleep(const barriers::Shape& /*shape*/, const engine::Params& /*params*/) {}

  static void await(const barriers::Word& word, std::uint32_t /*wanted*/, const std::atomic<bool>& /*stopped*/) {
    const std::uint32_t seen = word.value;
    meanwhile();
    EXPECT_NE(word.value, seen) << "it would sleep on";
  }
  static void notify(const barriers::Word& /*word*/, int /*most*/) {}
};

TEST(ABarrierOfAWord, IsStoppedForThreadsThatAreAboutToSleep) {
  barriers::ByOneWord<AboutToSleep> barrier({.workers = 1}, {"made-up", {}, {}});
  AboutToSleep::meanwhile = [&] { barrier.stop(); };
  barrier.await(0, 1);
  barrier.join(1);
}

TEST(SpinThenSleep, IsStoppedWhileItSpins) {
  const auto all = tests::variants_of(experiment(), [](const Variant& one) {
    return one.mechanism->name == "spin-then-sleep" && one.usual("join") && one.usual("pacing");
  });
  Barrier barrier(all.front(), given({{"spins", 1'000'000'000}}), 2);
  barrier.start([&] { EXPECT_LT(barrier.acting->plain(1, 0, kForEver), kForEver); });
  barrier.start([&] { EXPECT_EQ(barrier.acting->plain(0, 0, 2), 2U); });
  while (barrier.acting->stage->progress(0) < 2) std::this_thread::yield();
  ASSERT_TRUE(barrier.stop());
}

/// Where one thread could not be started the others are ordered to leave before there was a round.
TEST_P(BarrierConformance, EndsWithoutARound) {
  Barrier barrier(GetParam(), {});
  for (const std::size_t thread : {1, 2}) barrier.start([&, thread] { barrier.acting->leave(thread); });
  barrier.start([&] { barrier.acting->leave(0); });
  ASSERT_TRUE(barrier.end()) << "they wait for one that never comes";
}

class BarrierTrial : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, BarrierTrial, testing::ValuesIn(tests::variants_of(experiment(), tests::worth_a_trial)),
                         tests::VariantName());

/// More threads than CPUs, with the engine's threads or a library's.
TEST_P(BarrierTrial, OfACrowdedMachineEndsInTime) {
  auto request = GetParam().request(tests::pinned(8, platform::allowed_cpus()));
  request.lines = 1;
  const contract::Result result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  const contract::Held rounds = result.counts.at("rounds");
  EXPECT_GT(rounds.made, 0U);
  EXPECT_EQ(rounds.found, rounds.made);
  EXPECT_EQ(result.threads[0].role, "coordinator");
  for (std::size_t thread = 1; thread < 8; ++thread) {
    EXPECT_EQ(result.threads[thread].role, "worker");
    EXPECT_GT(result.threads[thread].counters.cpu_ns, 0U) << "of all of them CPU time is known";
    EXPECT_EQ(result.threads[thread].cpus_start, platform::CpuSet{*request.cpus[thread]});
  }
  for (const char* name : {"first", "last", "spread", "done"}) EXPECT_EQ(result.distributions.at(name).unit, "ns");
}

TEST(BarrierRequest, OfARoundThatTakesTooLongIsRefused) {
  const auto refusal = [](const Given& more) {
    auto request = tests::quick_request(experiment(), tests::unpinned(3));
    request.mechanism = "spin-all";
    request.params = more;
    return tests::failure_of([&] { engine::run(request, experiment()); });
  };
  EXPECT_EQ(
      refusal(given({{"work", 1'000'000}, {"jobs", 201}})),
      "bad-request: A round of 101,000,000 steps for one worker is too long: at most 100,000,000, by less work or "
      "fewer jobs.");
  EXPECT_EQ(refusal(given({{"work", 1'000}, {"jobs", 4}, {"imbalance", 1'000}})), "accepted");
}

/// A library's threads, which act by this in place of an engine. It keeps who took part in each round.
class Team : public engine::Brought {
 public:
  explicit Team(tests::Acting& acting, std::size_t threads) : acting_(acting), rounds_(threads) {
    acting.stage->act_by(*this);
  }

  void set_up(std::size_t /*thread*/) override {}
  std::uint64_t perform(std::size_t thread, std::uint64_t count) override {
    rounds_[thread].push_back(acting_.stage->progress(0));
    return acting_.plain(thread, 0, count);
  }

  [[nodiscard]] const std::vector<std::uint64_t>& rounds_of(std::size_t thread) const { return rounds_[thread]; }

 private:
  tests::Acting& acting_;
  std::vector<std::vector<std::uint64_t>> rounds_;
};

class ResizingTeam : public testing::Test {
 protected:
  void SetUp() override {
    if (!barriers::OpenMp::needs().empty()) GTEST_SKIP() << barriers::OpenMp::needs();
    variant_ = tests::variants_of(experiment(), [](const Variant& one) {
                 return one.mechanism->name == "openmp-parallel" && one.usual("pacing") && one.usual("policy");
               }).front();
  }

  [[nodiscard]] contract::Request request(const tests::Cpus& cpus, std::int64_t then) const {
    contract::Request request = variant_.request(cpus);
    request.params["then"] = then;
    return request;
  }
  [[nodiscard]] std::string refusal(const contract::Request& request) const {
    return tests::failure_of([&] { static_cast<void>(variant_.run(request)); });
  }

  Variant variant_{};
};

TEST_F(ResizingTeam, HasAsManyThreadsInTurnAsItSays) {
  using Rounds = std::vector<std::uint64_t>;
  const std::map<std::int64_t, std::array<Rounds, 3>> rounds_of_workers{
      {0, {{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}}}},
      {1, {{{2, 4, 6}, {2, 4, 6}, {2, 4, 6}}}},
      {2, {{{1, 2, 3, 4, 5, 6}, {2, 4, 6}, {2, 4, 6}}}},
      {3, {{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {2, 4, 6}}}}};
  for (const auto& [then, rounds] : rounds_of_workers) {
    const auto acting = variant_.acting(1, 4, given({{"then", then}, {"work", 3}, {"jobs", 5}}));
    const Team team(*acting, 4);
    EXPECT_EQ(acting->run(0, {.count = 2, .every = 0}), 2U);
    EXPECT_EQ(acting->run(0, {.count = 4, .every = 1}), 4U);
    EXPECT_EQ(acting->taken(0).size(), then == 0 ? 4U : 2U) << "only rounds of all are timed";
    for (std::size_t worker = 0; worker < 3; ++worker) {
      EXPECT_EQ(team.rounds_of(worker + 1), rounds[worker]) << "then=" << then << ", worker " << worker;
      EXPECT_EQ(acting->stage->lasts(worker + 1), rounds[worker].size() == 6);
    }
    const contract::Held held = acting->counts().at("rounds");
    EXPECT_EQ(held.made, rounds[0].size() + rounds[1].size() + rounds[2].size() + (then == 1 ? 3 : 0));
    EXPECT_EQ(held.found, held.made);
    acting->leave(0);
  }
}

TEST_F(ResizingTeam, TimesOneRoundOfSoManyAndOnlyThoseOfAll) {
  for (const std::uint32_t every : {1, 2, 4, 8}) {
    const auto acting = variant_.acting(1, 3, given({{"then", 2}}));
    const Team team(*acting, 3);
    EXPECT_EQ(acting->run(0, {.count = 33, .every = every}), 33U);
    EXPECT_EQ(acting->taken(0).size(), 32 / std::max<std::uint32_t>(2, every));
    acting->leave(0);
  }
}

/// A thread that the library may replace reports nothing that the kernel counts of a thread.
TEST_F(ResizingTeam, IsMeasuredInATrial) {
  auto small = request(tests::pinned(4, platform::allowed_cpus()), 2);
  small.pin = contract::Pin::process;
  small.windows.sampling = 20 * tests::kMillisecond;  // on a busy machine a round of four threads takes a millisecond
  small.measure_ns = 50 * tests::kMillisecond;
  const contract::Result result = variant_.run(small);
  const contract::Held rounds = result.counts.at("rounds");
  EXPECT_GT(rounds.made, 0U);
  EXPECT_EQ(rounds.found, rounds.made);
  EXPECT_FALSE(result.distributions.at("done").counts.empty());
  for (std::size_t thread = 0; thread < 4; ++thread) {
    EXPECT_EQ(result.threads[thread].counters.cpu_ns > 0, thread < 2) << thread;
    EXPECT_EQ(result.threads[thread].counters.migrations.has_value(), thread < 2) << thread;
    EXPECT_EQ(result.threads[thread].cpus_end, platform::allowed_cpus());
  }
}

TEST_F(ResizingTeam, IsSmallerThanAllAndHasNoCpusOfItsOwn) {
  const std::string most =
      "bad-request: The parameter 'then' of openmp-parallel must be a whole number from 0 to 4095.";
  EXPECT_EQ(refusal(request(tests::unpinned(4), -1)), most);
  EXPECT_EQ(refusal(request(tests::unpinned(4), 4'096)), most);
  EXPECT_EQ(refusal(request(tests::unpinned(4), 4)),
            "bad-request: then=4 needs more than 4 threads: it is the size of the smaller team.");
  EXPECT_EQ(refusal(request(tests::pinned(4, platform::allowed_cpus()), 2)),
            "bad-request: The library of openmp-parallel may replace threads of a team that changes size, so they have "
            "no CPUs of their own: pin the process, or measure it unpinned.");
  auto barrier = request(tests::unpinned(4), 2);
  barrier.mechanism = "openmp-barrier";
  EXPECT_EQ(refusal(barrier), "unknown-param: openmp-barrier has no parameter 'then'.");
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

/// Hundreds that each opened files to look into would wait for each other for seconds.
TEST(BarrierRequest, ItsWorkersOpenNothingToLookInto) {
  constexpr std::size_t kThreads = 17;
  auto request = tests::quick_request(experiment(), tests::unpinned(kThreads));
  request.mechanism = "futex-all";
  request.outliers = contract::OutliersRequest{.factor = 10, .least_ns = 5'000, .most = 8};
  request.measure_ns = 50 * tests::kMillisecond;
  std::atomic<bool> over{false};
  const std::ptrdiff_t before = open_files();
  std::ptrdiff_t most = before;
  std::jthread counting([&] {
    while (!over) most = std::max(most, open_files());
  });
  const contract::Result result = engine::run(request, experiment());
  over = true;
  counting.join();
  EXPECT_TRUE(result.evidence.has_value());
  EXPECT_LT(most - before, static_cast<std::ptrdiff_t>(2 * kThreads)) << "the coordinator's, and none of each worker";
}

TEST(BarrierRequest, OfOneThreadIsRefused) {
  auto request = tests::quick_request(experiment(), tests::unpinned(1));
  EXPECT_EQ(tests::failure_of([&] { engine::run(request, experiment()); }),
            "bad-request: barrier takes 2 to 4096 threads, not 1.");
}

TEST(BarrierRequest, WithALibraryThatIsNotThereSaysWhich) {
  if (barriers::OpenMp::loads("libomp") || !barriers::OpenMp::loads("libgomp"))
    GTEST_SKIP() << "both are here, or none";
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.mechanism = "openmp-parallel";
  request.params = {{"library", std::string("libomp")}};
  EXPECT_EQ(tests::failure_of([&] { engine::run(request, experiment()); }),
            "bad-request: The parameter 'library' of openmp-parallel must be one of libgomp.");
}

}  // namespace
}  // namespace threadping::barrier

// What every mechanism of crowd must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/crowd/players.hpp"
#include "support/failures.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::crowd {
namespace {

using tests::kForEver;
using tests::kMillisecond;
using tests::Variant;

using Given = std::map<std::string, contract::Param>;

Given given(std::initializer_list<std::pair<const char*, std::int64_t>> numbers) {
  Given all;
  for (const auto& [name, number] : numbers) all[name] = number;
  return all;
}

/// A caller and its members, each in a thread of its own.
class Crowd : public tests::Players {
 public:
  Crowd(const Variant& variant, const Given& given, std::size_t threads = 4)
      : tests::Players(variant.acting(1, threads, given)), threads_(threads) {}

  /// The caller begins so many rounds, all timed where `every` is 1, and leaves; so do all others.
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

class CrowdConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, CrowdConformance, testing::ValuesIn(tests::variants_of(experiment(), played_here)),
                         tests::VariantName());

TEST_P(CrowdConformance, HasEveryMemberTakePartInEveryRoundOnce) {
  for (const std::size_t threads : {2, 3, 6}) {
    constexpr std::uint64_t kRounds = 60;
    Crowd crowd(GetParam(), given({{"work", 3}, {"imbalance", 50}}), threads);
    crowd.play(kRounds, 1);
    ASSERT_TRUE(crowd.end()) << "a member was not woken";
    const contract::Held rounds = crowd.acting->counts().at("rounds");
    EXPECT_TRUE(rounds.exact);
    EXPECT_EQ(rounds.made, kRounds * (threads - 1));
    EXPECT_EQ(rounds.found, rounds.made);
  }
}

/// Fewer jobs than members, as many, and more; where a round chooses whom it wants, each takes its turn.
TEST_P(CrowdConformance, DealsItsJobs) {
  for (const std::int64_t jobs : {1, 2, 3, 4, 11}) {
    constexpr std::uint64_t kRounds = 24;
    Crowd crowd(GetParam(), given({{"work", 1}, {"jobs", jobs}}));
    crowd.play(kRounds, 1);
    ASSERT_TRUE(crowd.end()) << jobs << " jobs";
    const contract::Held rounds = crowd.acting->counts().at("rounds");
    EXPECT_EQ(rounds.found, rounds.made) << jobs;
    EXPECT_TRUE(rounds.made == kRounds * 3 || rounds.made == kRounds * static_cast<std::uint64_t>(jobs)) << jobs;
  }
}

/// Of each timed round the call, and from its start the first, the last, what lies between, and all done.
TEST_P(CrowdConformance, TellsOfEachTimedRound) {
  for (const char* join : {"yes", "no"}) {
    Given asked = given({{"work", 10}});
    asked["join"] = std::string(join);
    Crowd crowd(GetParam(), asked);
    crowd.play(24, 8);
    ASSERT_TRUE(crowd.end());
    const std::vector<engine::Timing> calls = crowd.acting->taken(0);
    const std::vector<std::uint64_t>& numbers = crowd.acting->samples[0]->numbers;
    ASSERT_EQ(calls.size(), 3U) << "one of eight";
    ASSERT_EQ(numbers.size(), 12U);
    EXPECT_EQ(crowd.acting->samples[0]->readings(), 3U * (3 + 3));
    for (std::size_t round = 0; round < calls.size(); ++round) {
      const std::uint64_t* told = &numbers[4 * round];
      EXPECT_LE(told[kFirst], told[kLast]);
      EXPECT_EQ(told[kSpread], told[kLast] - told[kFirst]);
      EXPECT_LE(told[kLast], told[kDone]) << "who has not begun is not done";
    }
    for (std::size_t thread = 1; thread < 4; ++thread) EXPECT_TRUE(crowd.acting->taken(thread).empty());
  }
}

TEST_P(CrowdConformance, ReadsNoClockInAThroughputWindow) {
  Crowd crowd(GetParam(), {});
  crowd.play(50, 0);
  ASSERT_TRUE(crowd.end());
  for (std::size_t thread = 0; thread < 4; ++thread) {
    EXPECT_EQ(crowd.acting->samples[thread]->readings(), 0U);
    EXPECT_TRUE(crowd.acting->taken(thread).empty());
  }
}

TEST_P(CrowdConformance, StopEndsItWhereverItIs) {
  for (const std::uint64_t point : {1, 2, 40}) {
    Crowd crowd(GetParam(), {});
    for (std::size_t thread = 0; thread < 4; ++thread)
      crowd.start([&, thread] {
        EXPECT_LT(crowd.acting->plain(thread, 0, kForEver), kForEver);
        crowd.acting->leave(thread);
      });
    while (crowd.acting->stage->progress(0) < point) std::this_thread::yield();
    ASSERT_TRUE(crowd.stop()) << "from " << point << " on";
    EXPECT_TRUE(crowd.acting->counts().empty()) << "nothing is left to compare";
  }
}

TEST(SpinThenSleep, IsStoppedWhileItSpins) {
  const auto all = tests::variants_of(experiment(), [](const Variant& one) {
    return one.mechanism->name == "spin-then-sleep" && one.usual("join") && one.usual("arrivals");
  });
  Crowd crowd(all.front(), given({{"spins", 1'000'000'000}}), 2);
  crowd.start([&] { EXPECT_LT(crowd.acting->plain(1, 0, kForEver), kForEver); });
  crowd.start([&] { EXPECT_EQ(crowd.acting->plain(0, 0, 2), 2U); });
  while (crowd.acting->stage->progress(0) < 2) std::this_thread::yield();
  ASSERT_TRUE(crowd.stop());
}

/// Where one thread could not be started the others are ordered to leave before there was a round.
TEST_P(CrowdConformance, EndsWithoutARound) {
  Crowd crowd(GetParam(), {});
  for (const std::size_t thread : {1, 2}) crowd.start([&, thread] { crowd.acting->leave(thread); });
  crowd.start([&] { crowd.acting->leave(0); });
  ASSERT_TRUE(crowd.end()) << "they wait for one that never comes";
}

class CrowdTrial : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, CrowdTrial, testing::ValuesIn(tests::variants_of(experiment(), tests::worth_a_trial)),
                         tests::VariantName());

/// More threads than CPUs, with the engine's threads or a library's.
TEST_P(CrowdTrial, OfACrowdedMachineEndsInTime) {
  auto request = GetParam().request(tests::pinned(8, platform::allowed_cpus()));
  request.lines = 1;
  const contract::Result result = GetParam().run(request);
  EXPECT_FALSE(result.cut);
  const contract::Held rounds = result.counts.at("rounds");
  EXPECT_GT(rounds.made, 0U);
  EXPECT_EQ(rounds.found, rounds.made);
  EXPECT_EQ(result.threads[0].role, "caller");
  for (std::size_t thread = 1; thread < 8; ++thread) {
    EXPECT_EQ(result.threads[thread].role, "member");
    EXPECT_GT(result.threads[thread].counters.cpu_ns, 0U) << "of all of them CPU time is known";
    EXPECT_EQ(result.threads[thread].cpus_start, platform::CpuSet{*request.cpus[thread]});
  }
  for (const char* told : {"first", "last", "spread", "done"}) EXPECT_EQ(result.distributions.at(told).unit, "ns");
}

TEST(CrowdRequest, OfARoundThatTakesTooLongIsRefused) {
  const auto refusal = [](const Given& more) {
    auto request = tests::quick_request(experiment(), tests::unpinned(3));
    request.mechanism = "spin-all";
    request.params = more;
    return tests::failure_of([&] { engine::run(request, experiment()); });
  };
  EXPECT_EQ(
      refusal(given({{"work", 1'000'000}, {"jobs", 201}})),
      "bad-request: A round of 101,000,000 steps for one member is too long: at most 100,000,000, by less work or "
      "fewer jobs.");
  EXPECT_EQ(refusal(given({{"work", 1'000}, {"jobs", 4}, {"imbalance", 1'000}})), "accepted");
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

/// Hundreds that each opened files to look into would wait for each other for seconds.
TEST(CrowdRequest, ItsMembersOpenNothingToLookInto) {
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
  EXPECT_LT(most - before, static_cast<std::ptrdiff_t>(2 * kThreads)) << "the caller's, and none of each member";
}

TEST(CrowdRequest, OfOneThreadIsRefused) {
  auto request = tests::quick_request(experiment(), tests::unpinned(1));
  EXPECT_EQ(tests::failure_of([&] { engine::run(request, experiment()); }),
            "bad-request: crowd takes 2 to 4096 threads, not 1.");
}

TEST(CrowdRequest, WithALibraryThatIsNotThereSaysWhich) {
  if (crowds::OpenMp::loads("libomp") || !crowds::OpenMp::loads("libgomp")) GTEST_SKIP() << "both are here, or none";
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.mechanism = "openmp-parallel";
  request.params = {{"library", std::string("libomp")}};
  EXPECT_EQ(tests::failure_of([&] { engine::run(request, experiment()); }),
            "bad-request: The parameter 'library' of openmp-parallel must be one of libgomp.");
}

}  // namespace
}  // namespace threadping::crowd

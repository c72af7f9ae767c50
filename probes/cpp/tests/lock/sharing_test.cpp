// The contract of every lock with readers and writers, and what becomes of a lock that breaks it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <shared_mutex>
#include <string>

#include "experiments/all.hpp"
#include "experiments/lock/lock.hpp"
#include "failure.hpp"
#include "mechanisms/locks/locks.hpp"
#include "mechanisms/locks/shared_locks.hpp"
#include "support/failures.hpp"
#include "support/together.hpp"
#include "support/variants.hpp"

namespace threadping::lock {
namespace {

using tests::together;

using Given = std::map<std::string, contract::Param>;

bool has_writers(const tests::Variant& one) {
  return std::ranges::any_of(one.mechanism->params, [](const auto& param) { return param.name == "writers"; });
}

class Sharing : public testing::TestWithParam<tests::Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Sharing, testing::ValuesIn(tests::variants_of(experiment(), has_writers)),
                         tests::VariantName());

/// Half of the operations write, with work between the two words. No more threads than CPUs: a lock whose next owner
/// has none waits for a time slice.
TEST_P(Sharing, TearsNoReadAndLosesNoWrite) {
  constexpr std::uint64_t kEach = 2048;
  const std::size_t threads = std::clamp<std::size_t>(platform::allowed_cpus().size(), 2, 3);
  const auto acting =
      GetParam().acting(1, threads, Given{{"writes", std::int64_t{50}}, {"critical", std::int64_t{1000}}});
  together(threads, [&](std::size_t thread) {
    acting->plain(thread, 0, kEach);
    acting->timed(thread, 0, kEach);
  });
  const contract::Counts counts = acting->counts();
  EXPECT_EQ(counts.at("increments").made, threads * kEach);
  EXPECT_EQ(counts.at("increments").found, threads * kEach);
  EXPECT_EQ(counts.at("whole reads").made, threads * kEach);
  EXPECT_EQ(counts.at("whole reads").found, threads * kEach);
}

TEST_P(Sharing, LetsOnlyTheFirstThreadsWrite) {
  const auto acting = GetParam().acting(1, 3, Given{{"writers", std::int64_t{1}}});
  for (std::size_t thread = 0; thread < 3; ++thread) acting->plain(thread, 0, 100);
  EXPECT_EQ(acting->counts().at("increments").found, 100U);
  EXPECT_EQ(acting->counts().at("whole reads").found, 200U);
  EXPECT_EQ(acting->stage->role_of(0), 2U);
  EXPECT_EQ(acting->stage->role_of(1), 1U);
}

TEST_P(Sharing, TimesTheWaitsOfBothKinds) {
  const auto acting = GetParam().acting(1, 1, Given{{"writes", std::int64_t{25}}});
  acting->timed(0, 0, 400);
  EXPECT_EQ(acting->taken(0).size(), 400U);
  EXPECT_EQ(acting->samples[0]->readings(), 800U);
  EXPECT_EQ(acting->stage->role_of(0), 3U);
}

TEST(Turns, AreExactlySoManyInAnOrderThatTheSeedGives) {
  for (const std::int64_t percent : {0, 1, 10, 50, 100}) {
    const Turns turns(percent, 7);
    std::uint64_t writes = 0;
    for (std::uint64_t number = 0; number < Turns::kBits; ++number) writes += turns.writes(number) ? 1 : 0;
    EXPECT_EQ(writes, (static_cast<std::uint64_t>(percent) * Turns::kBits + 50) / 100);
  }
  const auto order = [](std::uint64_t seed) {
    const Turns turns(50, seed);
    std::array<bool, 64> first{};
    for (std::uint64_t number = 0; number < first.size(); ++number) first[number] = turns.writes(number);
    return first;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Writers, CannotBeMoreThanThreads) {
  const auto all = tests::variants_of(experiment(), [](const auto& one) { return one.mechanism->name == "mutex"; });
  EXPECT_THROW(
      try {
        static_cast<void>(all.front().acting(1, 2, Given{{"writers", std::int64_t{3}}}));
      } catch (const Failure& failure) {
        EXPECT_STREQ(failure.what(), "Of 2 threads 3 cannot write: ask for more threads, or for fewer writers.");
        throw;
      },
      Failure);
}

/// Lets a reader in together with a writer.
struct ReadsDuringWrites : locks::Mutex {
  template <class Look>
  static void read(Own /*own*/, Look look) {
    look();
  }
};

/// Lets a second writer in.
struct SharesWrites : locks::UsedAlike {
  static constexpr std::string_view kName = "shares-writes";
  static constexpr bool kBlocking = false;
  void acquire(Own /*own*/) { mutex.lock_shared(); }
  void release(Own /*own*/) { mutex.unlock_shared(); }
  std::shared_mutex mutex;
};

template <class L>
std::string failure_of(std::int64_t writes) {
  const engine::Mechanism mechanism = guarded<L>();
  const Given given{{"writes", writes}, {"critical", std::int64_t{2000}}};
  const engine::Params params(mechanism.name, mechanism.params, given);
  tests::Acting acting(mechanism.make({.params = params, .lines = 1, .threads = 2}), 2);
  together(2, [&](std::size_t thread) { acting.plain(thread, 0, 20'000); });
  for (const auto& [name, held] : acting.counts())
    if (held.exact && held.made != held.found) return name;
  return "";
}

TEST(BrokenSharedLock, ThatLetsAReaderInWithAWriterTearsReads) {
  EXPECT_EQ(failure_of<ReadsDuringWrites>(50), "whole reads");
}

TEST(BrokenSharedLock, ThatLetsASecondWriterInLosesIncrements) {
  EXPECT_EQ(failure_of<SharesWrites>(99), "increments");
}

TEST(SeqLock, LetsAReaderLookAgainWhereAWriterCameInBetween) {
  locks::SeqLock lock;
  int looks = 0;
  lock.read({}, [&] {
    if (++looks == 1) {
      lock.acquire({});
      lock.release({});
    }
  });
  EXPECT_EQ(looks, 2);
}

}  // namespace
}  // namespace threadping::lock

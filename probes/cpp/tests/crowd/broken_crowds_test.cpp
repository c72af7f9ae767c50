// Crowds that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <string>

#include "experiments/all.hpp"
#include "experiments/crowd/players.hpp"
#include "mechanisms/crowds/words.hpp"
#include "support/failures.hpp"

namespace threadping::crowd {
namespace {

using crowds::Wanted;

/// Of its rounds one, late enough that the trial measures by then.
constexpr std::uint64_t kThe = 500;

template <class C>
std::string failure_of_crowd() {
  return tests::failure_of_trial(tests::kMakes<CrowdStage<C>>, experiment(), "spin-all");
}

/// Once lets a member go before the caller has begun the round.
struct Early : crowds::SpinAll {
  using SpinAll::SpinAll;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): in its place
  void await(std::size_t member, std::uint64_t round) {
    if (round % kThe != 0) SpinAll::await(member, round);
  }
};

/// Does not wake those that sleep, in one round.
struct LosesAWakeUp : crowds::FutexAll {
  using FutexAll::FutexAll;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): in its place
  void release(std::uint64_t round, Wanted wanted) {
    if (round != kThe) FutexAll::release(round, wanted);
  }
};

/// The caller goes on before all have arrived, so that two rounds mix.
struct MixesRounds : crowds::SpinAll {
  using SpinAll::SpinAll;
  static void gather(std::uint64_t /*round*/) {}
};

TEST(BrokenCrowd, ThatLetsAMemberGoEarlyIsRefused) {
  const std::string why = failure_of_crowd<Early>();
  EXPECT_TRUE(why.starts_with("sequence-broken: ") || why.starts_with("count-wrong: ")) << why;
}

TEST(BrokenCrowd, ThatLosesAWakeUpHasStalled) {
  EXPECT_EQ(failure_of_crowd<LosesAWakeUp>(),
            "stalled: No round ends any more: a member was not woken, or one is missing.");
}

TEST(BrokenCrowd, ThatMixesTwoRoundsIsRefused) {
  const std::string why = failure_of_crowd<MixesRounds>();
  EXPECT_TRUE(why.starts_with("sequence-broken: When the caller knew that round ")) << why;
}

}  // namespace
}  // namespace threadping::crowd

// Barriers that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <string>

#include "experiments/all.hpp"
#include "experiments/barrier/players.hpp"
#include "mechanisms/barriers/words.hpp"
#include "support/failures.hpp"

namespace threadping::barrier {
namespace {

using barriers::Wanted;

/// Of its rounds one, late enough that the trial measures by then.
constexpr std::uint64_t kThe = 500;

template <class C>
std::string failure_of_barrier() {
  return tests::failure_of_trial(tests::kMakes<BarrierStage<C>>, experiment(), "spin-all");
}

/// Once lets a worker go before the coordinator has begun the round.
struct Early : barriers::SpinAll {
  using SpinAll::SpinAll;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): in its place
  void await(std::size_t worker, std::uint64_t round) {
    if (round % kThe != 0) SpinAll::await(worker, round);
  }
};

/// Does not wake those that sleep, in one round.
struct LosesAWakeUp : barriers::FutexAll {
  using FutexAll::FutexAll;
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): in its place
  void release(std::uint64_t round, Wanted wanted) {
    if (round != kThe) FutexAll::release(round, wanted);
  }
};

/// The coordinator goes on before all have arrived, so that two rounds mix.
struct MixesRounds : barriers::SpinAll {
  using SpinAll::SpinAll;
  static void join(std::uint64_t /*round*/) {}
};

TEST(BrokenBarrier, ThatLetsAWorkerGoEarlyIsRefused) {
  const std::string why = failure_of_barrier<Early>();
  EXPECT_TRUE(why.starts_with("sequence-broken: ") || why.starts_with("count-wrong: ")) << why;
}

TEST(BrokenBarrier, ThatLosesAWakeUpHasStalled) {
  EXPECT_EQ(failure_of_barrier<LosesAWakeUp>(),
            "stalled: No round ends any more: a worker was not woken, or one is missing.");
}

TEST(BrokenBarrier, ThatMixesTwoRoundsIsRefused) {
  const std::string why = failure_of_barrier<MixesRounds>();
  EXPECT_TRUE(why.starts_with("sequence-broken: When the coordinator knew that round ")) << why;
}

}  // namespace
}  // namespace threadping::barrier

// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/trial.hpp"
#include "experiments/notify/notify.hpp"
#include "experiments/notify/players.hpp"
#include "notify/mechanisms/bells.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"

namespace threadping::notify {
namespace {

using tests::kMillisecond;

/// How a trial of M, in place of the mechanism that it breaks, fails.
template <NotifyMechanism M>
std::string failure_of() {
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.mechanism = M::kName;
  request.lines = 1;
  request.params = {{"pause", std::int64_t{10}}};
  request.bound_ns = 500 * kMillisecond;
  request.patience_ns = 100 * kMillisecond;
  const engine::Mechanism& mechanism = engine::mechanism_for(request, experiment());
  const engine::Params params(mechanism.name, mechanism.params, request.params);
  const engine::Setup setup{.params = params, .lines = request.lines, .threads = 2};
  return tests::failure_of(
      [&] { engine::run(request, experiment(), mechanism, std::make_unique<NotifyStage<M>>(setup)); });
}

/// Futex, but from the hundredth call on nobody rings: the waiter sleeps on. Stopping it still works.
struct ForgetsToWake : Futex {
  template <class Change>
  static void tell(Cell& cell, Change change) {
    change();
    if (cell.told.calls < 100 || cell.told.stopped) return ring(cell.bell);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the waiter has gone to sleep by now
  }
};

TEST(BrokenNotify, ThatForgetsToWakeHasStalled) {
  EXPECT_EQ(failure_of<ForgetsToWake>(), "stalled: No waiter wakes any more: a call was lost.");
}

/// Futex, but the fiftieth time it rings and tells nothing.
struct LosesACall : Futex {
  struct Cell : Futex::Cell {
    int changes = 0;
  };

  template <class Change>
  static void tell(Cell& cell, Change change) {
    if (++cell.changes != 50 || cell.told.stopped) change();
    ring(cell.bell);
  }
};

TEST(BrokenNotify, ThatLosesACallCountsWrong) {
  const std::string why = failure_of<LosesACall>();
  EXPECT_TRUE(why.starts_with("count-wrong: Of ")) << why;
  EXPECT_TRUE(why.ends_with(" were found: 1 lost.")) << why;
}

}  // namespace
}  // namespace threadping::notify

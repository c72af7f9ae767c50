// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "experiments/notify/players.hpp"
#include "support/broken_signals.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"

namespace threadping::notify {
namespace {

using tests::kMillisecond;

/// How a trial of S, in place of the mechanism that it breaks, fails.
template <signals::Signal S>
std::string failure_of() {
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.mechanism = S::kName;
  request.lines = 1;
  request.bound_ns = 500 * kMillisecond;
  request.patience_ns = 100 * kMillisecond;
  const engine::Mechanism& mechanism = engine::mechanism_for(request, experiment());
  const engine::Params params(mechanism.name, mechanism.params,
                              {{"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{0}}});
  const engine::Setup setup{.params = params, .lines = request.lines, .threads = 2, .seed = 0};
  return tests::failure_of(
      [&] { engine::run(request, experiment(), mechanism, std::make_unique<NotifyStage<S>>(setup)); });
}

TEST(BrokenNotify, ThatForgetsToWakeHasStalled) {
  EXPECT_EQ(failure_of<tests::ForgetsToWake>(), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatLosesANumberHasStalled) {
  EXPECT_EQ(failure_of<tests::LosesANumber>(), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatDoublesANumberCountsWrong) {
  const std::string why = failure_of<tests::DoublesANumber>();
  EXPECT_TRUE(why.starts_with("count-wrong: Of ")) << why;
  EXPECT_TRUE(why.ends_with(" were found: 1 doubled.")) << why;
}

}  // namespace
}  // namespace threadping::notify

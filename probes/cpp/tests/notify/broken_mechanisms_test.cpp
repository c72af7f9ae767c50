// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include "crew/trial.hpp"
#include "notify/loops.hpp"
#include "notify/notify.hpp"
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
  const crew::Mechanism& mechanism = crew::mechanism_for(request, experiment());
  const crew::Params params(mechanism, {});
  const crew::Setup setup{.params = params, .lines = request.lines, .threads = 2};
  return tests::failure_of(
      [&] { crew::run(request, experiment(), mechanism, std::make_unique<NotifyLoops<S>>(setup)); });
}

TEST(BrokenNotify, ThatForgetsToWakeHasStalled) {
  EXPECT_EQ(failure_of<tests::ForgetsToWake>(), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatLosesANumberHasStalled) {
  EXPECT_EQ(failure_of<tests::LosesANumber>(), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatDoublesANumberCountsWrong) {
  EXPECT_EQ(failure_of<tests::DoublesANumber>(), "");
}

}  // namespace
}  // namespace threadping::notify

// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include "experiments/all.hpp"
#include "experiments/wakeup/players.hpp"
#include "support/broken_signals.hpp"
#include "support/failures.hpp"

namespace threadping::wakeup {
namespace {

std::string failure_of(tests::Fault fault) {
  tests::BrokenFutex::fault = fault;
  return tests::failure_of_trial(tests::kMakes<WakeupStage<tests::BrokenFutex>>, experiment(), "futex",
                                 {{"pause", std::int64_t{0}}, {"waiter-pause", std::int64_t{0}}});
}

TEST(BrokenNotify, ThatForgetsToWakeHasStalled) {
  EXPECT_EQ(failure_of(tests::Fault::forgets_to_wake), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatLosesANumberHasStalled) {
  EXPECT_EQ(failure_of(tests::Fault::loses_a_number), "stalled: No waiter wakes any more: a call was lost.");
}
TEST(BrokenNotify, ThatDoublesANumberCountsWrong) {
  const std::string why = failure_of(tests::Fault::doubles_a_number);
  EXPECT_TRUE(why.starts_with("count-wrong: Of ")) << why;
  EXPECT_TRUE(why.ends_with(" were found: 1 doubled.")) << why;
}

}  // namespace
}  // namespace threadping::wakeup

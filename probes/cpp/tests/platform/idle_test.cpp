#include "support/idle.hpp"

#include <gtest/gtest.h>

#include "platform/kernel_texts.hpp"

namespace threadping::platform {
namespace {

TEST(IdleStates, TellHowManyAreDeeperThanTheDeepestThatWasLeft) {
  const tests::IdleFolder cpus("threadping-idle");
  IdleStates idle(3, cpus.root);
  EXPECT_TRUE(idle.known());
  EXPECT_EQ(idle.look(), 3U) << "it left none";
  cpus.left(0, 8);
  EXPECT_EQ(idle.look(), 2U);
  cpus.left(0, 9);
  cpus.left(1, 100);
  EXPECT_EQ(idle.look(), 1U);
  cpus.left(2, 8);
  EXPECT_EQ(idle.look(), 0U);
  EXPECT_EQ(idle.look(), 3U);
  IdleStates absent(4, cpus.root);
  EXPECT_FALSE(absent.known());
  EXPECT_EQ(absent.look(), 0U);
}

}  // namespace
}  // namespace threadping::platform

#include "platform/idle.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace threadping::platform {
namespace {

TEST(IdleStates, TellHowManyAreDeeperThanTheDeepestThatWasLeft) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "threadping-idle";
  const auto write = [&](int state, int usage) {
    const auto folder = root / "cpu3" / "cpuidle" / ("state" + std::to_string(state));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "usage") << usage << '\n';
  };
  for (int state = 0; state < 3; ++state) write(state, 7);
  IdleStates idle(3, root);
  EXPECT_TRUE(idle.told());
  EXPECT_EQ(idle.look(), 3U) << "it left none";
  write(0, 8);
  EXPECT_EQ(idle.look(), 2U);
  write(0, 9);
  write(1, 100);
  EXPECT_EQ(idle.look(), 1U);
  write(2, 8);
  EXPECT_EQ(idle.look(), 0U);
  EXPECT_EQ(idle.look(), 3U);
  IdleStates nobody(4, root);
  EXPECT_FALSE(nobody.told());
  EXPECT_EQ(nobody.look(), 0U);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace threadping::platform

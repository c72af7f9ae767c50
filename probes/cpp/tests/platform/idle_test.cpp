#include "support/idle.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>

#include "platform/evidence.hpp"
#include "platform/kernel_texts.hpp"

namespace threadping::platform {
namespace {

TEST(IdleStates, ReportHowManyAreDeeperThanTheDeepestThatWasLeft) {
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

TEST(AnIdleTime, IsThatOfAllStatesInWhichACpuDoesNotPoll) {
  const tests::IdleFolder cpus("threadping-idle-time");
  cpus.slept(0, 1000, "POLL");
  cpus.slept(1, 20, "C1");
  cpus.slept(2, 300, "C6");
  IdleTime time(3, cpus.root);
  EXPECT_TRUE(time.known());
  EXPECT_EQ(time.read(), 320'000U);
  cpus.slept(0, 5000, "POLL");
  cpus.slept(1, 21, "C1");
  EXPECT_EQ(time.read(), 321'000U);
  IdleTime absent(4, cpus.root);
  EXPECT_FALSE(absent.known());
  EXPECT_EQ(absent.read(), std::nullopt);
}

/// Of a thread on CPU 3, and of one on another: between two looks CPU 3 slept 40 of 50 microseconds.
TEST(Seen, ReportsHowLongItsCpuWasAwakeAndWhetherAnotherWasWoken) {
  const tests::IdleFolder cpus("threadping-idle-seen");
  cpus.slept(1, 100, "haltpoll idle");
  const std::array<int, 2> looked_at{3, 4};
  Onlooker onlooker({}, false, looked_at, cpus.root);
  Look before = onlooker.look();
  cpus.slept(1, 140, "haltpoll idle");
  Look after = onlooker.look();
  EXPECT_GE(before.done_ns, before.at_ns);
  before.done_ns = 1'000'000;
  after.at_ns = 1'050'000;
  before.cpu = after.cpu = 3;
  EXPECT_EQ(onlooker.between(before, after).awake_ns, 10'000U);
  EXPECT_EQ(onlooker.between(before, after).others_woken, std::nullopt) << "of CPU 4 nothing is known";
  before.cpu = 0;
  EXPECT_EQ(onlooker.between(before, after).awake_ns, std::nullopt) << "it was moved";
  after.cpu = 0;
  EXPECT_EQ(onlooker.between(before, after).others_woken, true);
  EXPECT_EQ(onlooker.between(before, before).others_woken, false);
  EXPECT_TRUE(onlooker.lacking().empty() || onlooker.lacking().back().find("slept") == std::string::npos);
}

TEST(AnOnlooker, SaysWhereThereAreNoIdleStates) {
  const std::array<int, 1> looked_at{4};
  Onlooker onlooker({}, false, looked_at, "/nowhere");
  EXPECT_EQ(onlooker.between(onlooker.look(), onlooker.look()).awake_ns, std::nullopt);
  EXPECT_EQ(onlooker.lacking().back(),
            "Whether a CPU slept is unknown: this kernel has no /sys/devices/system/cpu/cpu*/cpuidle.");
}

}  // namespace
}  // namespace threadping::platform

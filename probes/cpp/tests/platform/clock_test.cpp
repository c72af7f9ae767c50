#include "platform/clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace threadping::platform {
namespace {

TEST(Clock, NeverStepsBack) {
  std::uint64_t last = now_ns();
  for (int reading = 0; reading < 10'000; ++reading) {
    const std::uint64_t now = now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, IsMeasured) {
  const ClockQuality quality = measure_clock();
  EXPECT_GT(quality.cost_ns, 0.0);
  EXPECT_GE(quality.resolution_ns, 1U);
}

TEST(ClockStep, IsOneWithOneRunOfNeighbours) {
  EXPECT_EQ(smallest_step({{20, 1000}}), 1U);
  EXPECT_EQ(smallest_step({{19, 500}, {20, 1000}, {21, 500}}), 1U);
}

TEST(ClockStep, IsTheDistanceFromRunToRun) {
  EXPECT_EQ(smallest_step({{20, 700}, {30, 300}}), 10U);
  EXPECT_EQ(smallest_step({{20, 11'703}, {21, 380}, {30, 5'642}, {31, 248}}), 10U);  // 100 MHz, as measured
  EXPECT_EQ(smallest_step({{29, 4'654},
                           {30, 668'971},
                           {31, 112'127},
                           {40, 998'052},
                           {41, 83'092},
                           {49, 96'288},
                           {50, 773'147},
                           {51, 125'746},
                           {60, 104'683},
                           {61, 12'783}}),
            10U);                                                               // on another day
  EXPECT_EQ(smallest_step({{41, 500}, {42, 500}, {83, 500}, {84, 500}}), 42U);  // 24 MHz
  EXPECT_EQ(smallest_step({{0, 500}, {100, 500}, {110, 500}}), 10U);
}

TEST(ClockStep, IsOneWhereReadingOnlyTookLongerNowAndThen) {
  EXPECT_EQ(smallest_step({{17, 900}, {18, 100}, {39, 50}}), 1U);
  EXPECT_EQ(smallest_step({{20, 900}, {29, 100}}), 1U);
}

TEST(ClockStep, IgnoresWhatIsRare) {
  EXPECT_EQ(smallest_step({{20, 500}, {25, 1}, {30, 500}}), 10U);
  EXPECT_EQ(smallest_step({{20, 1000}, {5000, 1}}), 1U);
}

TEST(ClockStep, IsOneWithoutReadings) { EXPECT_EQ(smallest_step({}), 1U); }

}  // namespace
}  // namespace threadping::platform

#include <gtest/gtest.h>

#include <vector>

#include "engine/pace.hpp"

namespace threadping::engine {
namespace {

/// After which window the pace was steady for the first time; 0 if it never was.
std::size_t steady_after(const std::vector<double>& windows, double share, std::size_t stretch = 4) {
  Steadiness steadiness(stretch);
  for (std::size_t window = 0; window < windows.size(); ++window) {
    steadiness.add(windows[window]);
    if (steadiness.reached(share)) return window + 1;
  }
  return 0;
}

TEST(APace, IsSteadyWhenTwoStretchesAgree) {
  EXPECT_EQ(steady_after(std::vector(20, 50.0), 0.02), 8U);
  EXPECT_EQ(steady_after(std::vector(20, 50.0), 0.02, 6), 12U);
  EXPECT_EQ(steady_after(std::vector(7, 50.0), 0.02), 0U) << "there are no two stretches";
}

TEST(APace, IsNotSteadyWhileItFalls) {
  std::vector<double> windows(30);
  for (std::size_t window = 0; window < windows.size(); ++window)
    windows[window] = 1000.0 - 30.0 * static_cast<double>(window);
  EXPECT_EQ(steady_after(windows, 0.02), 0U);
  windows.insert(windows.end(), 10, 100.0);
  EXPECT_EQ(steady_after(windows, 0.02), 37U) << "one that is left of the fall is noise";
}

TEST(APace, IsSteadyWhereItsStretchesDifferByNoMoreThanTheirNoise) {
  const std::vector<double> noisy{50, 80, 45, 90, 60, 95, 50, 85};
  EXPECT_EQ(steady_after(noisy, 0.0001), 8U);
}

TEST(APace, OfNoOperationsIsSome) { EXPECT_EQ(steady_after(std::vector(8, 0.0), 0.02), 8U); }

}  // namespace
}  // namespace threadping::engine

#pragma once

#include <ctime>

#include <cstdint>

namespace threadping::platform {

inline constexpr const char* kClockName = "clock_gettime(CLOCK_MONOTONIC)";

/// Nanoseconds of the monotonic clock: the same clock as Java's System.nanoTime, so the languages compare.
inline std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

/// What the clock can tell.
struct ClockQuality {
  double cost_ns;               ///< The mean cost of one reading.
  std::uint64_t resolution_ns;  ///< The steps in which it moves: 10 on CPUs whose counter ticks at 100 MHz, else 1.
};

/// Measures the clock in some batches of back-to-back readings. The cost is the quickest batch's, because anything
/// slower was disturbed; the resolution is the smallest gap between differences that occur often.
ClockQuality measure_clock();

}  // namespace threadping::platform

#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>

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

/// The step in which a clock moves, from the differences between its readings and how often each occurred. Conversion
/// from ticks rounds to whole nanoseconds, so that steps of 10 ns show as 20, 21, 30 and 31, or as 40, 49 and 50:
/// neighbours are one value, their most frequent one, and the step is the smallest distance from one to the next, among
/// differences that make up 1% of the readings. 1 where there is only one run, or where one is no multiple of that
/// distance: a clock that now and then takes longer to read has no steps.
std::uint64_t smallest_step(const std::map<std::uint64_t, std::size_t>& differences);

/// Measures the clock in some batches of back-to-back readings. The cost is the fastest batch's, because anything
/// slower was disturbed.
ClockQuality measure_clock();

}  // namespace threadping::platform

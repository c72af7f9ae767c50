#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace threadping::lock {

inline constexpr std::uint64_t kLongestChunk = 4096;

/// How many rounds of all threads it takes until each has had a CPU: 1 where every thread has one.
inline std::uint64_t crowding(std::size_t threads, std::size_t cpus) { return (threads + cpus - 1) / cpus; }

/// How long the two windows of a visit are.
struct Lengths {
  std::uint64_t plain_ns;
  std::uint64_t sampled_ns;
};

/// About ten and five milliseconds; where threads share CPUs, so long that each gets several time slices (of 3 to 4
/// ms): as many visits as fit into `measure_ns` best fill it.
inline Lengths window_lengths(std::uint64_t measure_ns, std::uint64_t crowding) {
  constexpr std::uint64_t kVisit = 15'000'000;
  const std::uint64_t usual = crowding > 1 ? 2 * kVisit * crowding : kVisit;
  const std::uint64_t visits = std::max<std::uint64_t>((measure_ns + usual / 2) / usual, 1);
  const std::uint64_t visit = measure_ns / visits;
  return {.plain_ns = visit * 2 / 3, .sampled_ns = visit / 3};
}

/// What an operation takes the thread that performs it, its wait included: `ops` of all threads in `ns`, while so many
/// threads ran at once.
inline double ns_an_operation(std::uint64_t ns, std::uint64_t ops, std::size_t running) {
  return static_cast<double>(ns) * static_cast<double>(running) / static_cast<double>(std::max<std::uint64_t>(ops, 1));
}

/// As many operations as take about twenty microseconds: short beside a window, long beside a look at the order. Grows
/// eightfold at most, because a pace that was seen while threads were still arriving is not theirs.
inline std::uint64_t next_chunk(double operation_ns, std::uint64_t chunk) {
  constexpr double kChunkNs = 20'000;
  const auto wanted = static_cast<std::uint64_t>(std::max(kChunkNs / std::max(operation_ns, 1.0), 1.0));
  return std::min({wanted, 8 * chunk, kLongestChunk});
}

/// One operation in how many is timed: the fewest operations, a power of two up to 1024, beside which two readings of
/// the clock are at most a fiftieth.
inline std::uint32_t sample_every(double operation_ns, double clock_ns) {
  constexpr double kMostCost = 0.02;
  constexpr double kSeldom = 1024;
  const double least = 2 * clock_ns / (kMostCost * std::max(operation_ns, 1.0));
  return std::bit_ceil(static_cast<std::uint32_t>(std::ceil(std::clamp(least, 1.0, kSeldom))));
}

}  // namespace threadping::lock

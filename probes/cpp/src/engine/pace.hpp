#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "contract/request.hpp"

namespace threadping::engine {

/// How many operations of each thread a visit to a line takes, in this order.
struct Visit {
  std::uint64_t
      lead_in;          ///< Uncounted: brings the line and the others in. At least 1: an operation starts at another's.
  std::uint64_t plain;  ///< Timed as a whole.
  std::uint64_t timed;  ///< Timed one by one.

  [[nodiscard]] std::uint64_t ops() const { return lead_in + plain + timed; }
};

/// A visit around a plain window of so many operations, with timed ones in the proportion that the request wants.
inline Visit visit_of(std::uint64_t plain, const contract::WindowsRequest& windows) {
  const auto timed =
      static_cast<double>(plain) * static_cast<double>(windows.timed) / static_cast<double>(windows.plain);
  return {.lead_in = std::max<std::uint64_t>(1, plain / 64),
          .plain = plain,
          .timed = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(timed))};
}

/// The visit for a trial in which an operation of each thread takes `operation_ns`: with the largest plain window for
/// which the measuring time suffices for as many visits to every line as the request wants (five: a line's median then
/// survives two disturbed ones) and twice as many in all. It is 1 for two spinning threads on one CPU, where an
/// operation takes a time slice.
inline Visit fitted_visit(const contract::Request& request, double operation_ns) {
  constexpr double kAround = 1.5;  // lead-in and timed operations come on top of the plain ones
  const double ops = static_cast<double>(request.measure_ns) / std::max(operation_ns, 1.0);
  const double visits = static_cast<double>(request.windows.visits) * std::max<double>(request.lines, 2);
  const double plain = std::clamp(ops / (visits * kAround), 1.0, static_cast<double>(request.windows.plain));
  return visit_of(static_cast<std::uint64_t>(plain), request.windows);
}

/// What an operation takes the thread that performs it, its wait included: `ops` of all threads in `ns`, while so many
/// threads ran at once.
inline double ns_an_operation(std::uint64_t ns, std::uint64_t ops, std::size_t running) {
  return static_cast<double>(ns) * static_cast<double>(running) / static_cast<double>(std::max<std::uint64_t>(ops, 1));
}

inline constexpr std::uint64_t kLongestChunk = 4096;

/// As many operations as take about as long as a chunk is to be: short beside a window, long beside a look at the
/// orders. Grows eightfold at most, because a pace that was seen while threads were still arriving is not theirs.
inline std::uint64_t next_chunk(double operation_ns, std::uint64_t chunk, std::uint64_t chunk_ns) {
  const auto wanted =
      static_cast<std::uint64_t>(std::max(static_cast<double>(chunk_ns) / std::max(operation_ns, 1.0), 1.0));
  return std::min({wanted, 8 * chunk, kLongestChunk});
}

/// One operation in how many is timed: the fewest operations, a power of two up to 1024, beside which two readings of
/// the clock take at most the share.
inline std::uint32_t sample_every(double operation_ns, double clock_ns, double share) {
  constexpr double kSeldom = 1024;
  const double least = 2 * clock_ns / (share * std::max(operation_ns, 1.0));
  return std::bit_ceil(static_cast<std::uint32_t>(std::ceil(std::clamp(least, 1.0, kSeldom))));
}

}  // namespace threadping::engine

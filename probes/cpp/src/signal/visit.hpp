#pragma once

#include <algorithm>
#include <cstdint>

namespace threadping::signal {

/// How many round trips a visit to a line takes, in this order.
struct Visit {
  std::uint32_t lead_in;  ///< Untimed: brings the line and the partner in. At least 1: a round trip starts at a turn.
  std::uint32_t block;    ///< Timed as a whole.
  std::uint32_t singles;  ///< Timed one by one.

  [[nodiscard]] std::uint32_t turns() const { return lead_in + block + singles; }
};

inline constexpr std::uint32_t kMostRoundTrips = 1000;  // the clock pair's cost is then below 0.1 ns a round trip

/// A visit around a block of `round_trips`, with 0.3 single round trips for each one in the block.
constexpr Visit visit_of(std::uint32_t round_trips) {
  return {
      .lead_in = std::max(1U, round_trips / 64), .block = round_trips, .singles = std::max(1U, round_trips * 3 / 10)};
}

/// The visit for a trial in which a round trip takes `round_trip_ns`: the largest block, up to kMostRoundTrips, with
/// which `measure_ns` suffices for five visits to every line (its median then survives two disturbed blocks) and ten
/// visits in all, and as many single round trips as spread `most_singles` over the whole trial, with a margin for a
/// pair that turns out quicker. The block is 1 for two spinning threads on one CPU, where a hand-over takes a time
/// slice.
inline Visit calibrated_visit(std::uint64_t measure_ns, double round_trip_ns, std::uint32_t lines,
                              std::uint32_t most_singles) {
  constexpr double kAround = 1.5;  // lead-in and single round trips come on top of the block
  constexpr double kMargin = 0.7;
  const double round_trips = static_cast<double>(measure_ns) / std::max(round_trip_ns, 1.0);
  const double block = round_trips / (std::max(5.0 * lines, 10.0) * kAround);
  Visit visit = visit_of(static_cast<std::uint32_t>(std::clamp(block, 1.0, double{kMostRoundTrips})));
  const double visits = round_trips / visit.turns();
  const double singles = kMargin * most_singles / visits;
  visit.singles = static_cast<std::uint32_t>(std::clamp(singles, 1.0, static_cast<double>(visit.singles)));
  return visit;
}

}  // namespace threadping::signal

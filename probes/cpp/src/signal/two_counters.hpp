#pragma once

#include <cstdint>

#include "mechanism.hpp"

namespace threadping::signal {

/// Arithmetic of the protocols with one counter for each side: the side that takes turn `expected` has taken
/// expected / 2 turns before, and so has the other side, plus one if pong asks.
template <Side S>
struct TwoCounters {
  /// The other side's counter when `expected` hand-overs have happened.
  static constexpr std::uint64_t theirs(std::uint64_t expected) { return (expected + (S == Side::pong ? 1 : 0)) / 2; }

  /// This side's own counter before turn `expected`.
  static constexpr std::uint64_t own(std::uint64_t expected) { return expected / 2; }

  /// The hand-overs that have happened when the other side's counter reads `theirs` and it is this side's turn.
  static constexpr std::uint64_t hand_overs(std::uint64_t theirs) { return 2 * theirs - (S == Side::pong ? 1 : 0); }
};

}  // namespace threadping::signal

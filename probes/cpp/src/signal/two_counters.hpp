#pragma once

#include <atomic>
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

/// stop() of every cell with two atomic counters. A side that is just storing overwrites the poison; the watchdog
/// therefore repeats it until both have ended.
template <class Cell>
void poison_counters(Cell& cell) {
  cell.ping.store(kPoison, std::memory_order_seq_cst);
  cell.pong.store(kPoison, std::memory_order_seq_cst);
}

/// peek() of every cell with two atomic counters.
template <class Cell>
std::uint64_t sum_of_counters(const Cell& cell) {
  return cell.ping.load(std::memory_order_acquire) + cell.pong.load(std::memory_order_acquire);
}

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>

#include "mechanisms/pair.hpp"
#include "mechanisms/signals/counter.hpp"

namespace threadping::signals {

/// The published C++ ping-pong ("Inter Thread Latency", 2011), as listed there: two counters in one line, each side
/// spins on a load of the other's, then adds one to its own by a locked addition whose result it uses (`lock xadd` on
/// x86). Ping reads its own counter once more before each wait, which the listing compares with its limit: the other
/// side is taking the line away by then.
///
/// Result and look are compared with what this side must have published. Where somebody else has added, the counter
/// leaps beyond every count, and both sides see a broken sequence.
template <class Wait>
struct XaddOneLine : TwoSignals<Counter<Add, Wait>, OneLine> {
  using Counters = TwoSignals<Counter<Add, Wait>, OneLine>;
  using Counters::Counters;
  using typename Counters::Cell;

  template <Side kSide>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    if constexpr (kSide == Side::ping) {
      const std::uint64_t own = cell.ping.published.load(std::memory_order_seq_cst);
      if (own != expected / 2) return {.due = false, .seen = 2 * own};
    }
    return Counters::template await<kSide>(cell, expected);
  }

  template <Side kSide>
  static void publish(Cell& cell, std::uint64_t expected) {
    std::atomic<std::uint64_t>& own = (kSide == Side::ping ? cell.ping : cell.pong).published;
    if (own.fetch_add(1, std::memory_order_seq_cst) != expected / 2) [[unlikely]]
      own.fetch_or(kBeyondCounts, std::memory_order_seq_cst);
  }

 private:
  static constexpr std::uint64_t kBeyondCounts = kStopped / 4;  ///< Twice it is no stop yet.
};

}  // namespace threadping::signals

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "signal/mechanism.hpp"

namespace threadping::signal {

/// One word in one line. Each side tries to compare-and-swap it from its turn to the next, with no load before the
/// try: the protocol of core-to-core-latency's first benchmark, with a sequence number in place of its flag.
///
/// The line moves in exclusive state on every try, also on those that fail; the write that must be seen is the other
/// side's swap, and the swap that succeeds has read it.
struct CasOneLine {
  static constexpr std::string_view kName = "cas-one-line";

  struct alignas(128) Cell {
    std::atomic<std::uint64_t> word{0};
  };

  template <Side S, class Wait>
  static Awaited await(Cell& cell, std::uint64_t expected, const Wait& wait) {
    typename Wait::Turn idle(wait);  // NOLINT(misc-const-correctness): some waits count their looks
    std::uint64_t seen = expected;
    while (!cell.word.compare_exchange_strong(seen, expected + 1, std::memory_order_seq_cst)) {
      if (seen > expected) return {.due = false, .seen = seen};
      seen = expected;
      idle();
    }
    return {.due = true, .seen = expected};
  }

  /// The swap that ended the wait has told.
  template <Side S>
  static void tell(Cell& /*cell*/, std::uint64_t /*expected*/) {}

  static void stop(Cell& cell) { cell.word.store(kPoison, std::memory_order_seq_cst); }
  static std::uint64_t hand_overs(Cell& cell) { return cell.word.load(std::memory_order_acquire); }
};

}  // namespace threadping::signal

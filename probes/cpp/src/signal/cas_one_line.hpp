#pragma once

#include <atomic>
#include <cstdint>

#include "mechanism.hpp"

namespace threadping::signal {

/// One word in one line. Each side tries to compare-and-swap it from its turn to the next, with no load before the
/// try: the protocol of core-to-core-latency's first benchmark, with a sequence number in place of its flag.
///
/// The line moves in exclusive state on every try, also on those that fail; the write that must be seen is the other
/// side's swap, and the swap that succeeds has read it.
struct CasOneLine {
  static constexpr MechanismInfo kInfo{
      "cas-one-line",
      "Both threads compare-and-swap one word from their turn to the next, trying without a load before.",
      "Burns both CPUs and keeps the line moving; the fastest where two threads own two cores.",
      false,
      256,
  };

  struct alignas(128) Cell {
    std::atomic<std::uint64_t> word{0};
  };

  template <Side S>
  static std::uint64_t turn(Cell& cell, std::uint64_t expected) {
    std::uint64_t seen = expected;
    while (!cell.word.compare_exchange_strong(seen, expected + 1, std::memory_order_seq_cst)) {
      if (seen > expected) return seen;
      seen = expected;
    }
    return expected;
  }

  static void stop(Cell& cell) { cell.word.store(kPoison, std::memory_order_seq_cst); }
  static std::uint64_t peek(Cell& cell) { return cell.word.load(std::memory_order_acquire); }
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>

#include "engine/params.hpp"
#include "mechanisms/pair.hpp"
#include "platform/lines.hpp"
#include "waits/waits.hpp"

namespace threadping::signals {

/// A pair in one word. Each side tries to compare-and-swap it from its turn to the next, with no load before the try:
/// the protocol of core-to-core-latency's first benchmark, with a sequence number in place of its flag.
///
/// The line moves in exclusive state on every try, also on those that fail; the write that must be seen is the other
/// side's swap, and the swap that succeeds has read it.
template <class Wait>
struct CasOneLine {
  struct alignas(platform::kLinePair) Cell {
    std::atomic<std::uint64_t> word{0};
  };

  Wait wait;

  explicit CasOneLine(const engine::Params& params) : wait(params) {}

  template <Side kSide>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    typename Wait::Turn idle(wait, &cell);  // NOLINT(misc-const-correctness): some waits count their polls
    std::uint64_t seen = expected;
    while (!cell.word.compare_exchange_strong(seen, expected + 1, std::memory_order_seq_cst)) {
      if (seen > expected) return {.due = false, .seen = seen};
      seen = expected;
      idle();
    }
    return {.due = true, .seen = expected};
  }

  /// The swap that ended the wait has already published.
  template <Side kSide>
  static void publish(Cell& /*cell*/, std::uint64_t /*expected*/) {}

  static void stop(Cell& cell) { cell.word.store(kStopped, std::memory_order_seq_cst); }
  static std::uint64_t handoffs(const Cell& cell) { return cell.word.load(std::memory_order_acquire); }
};

}  // namespace threadping::signals

#pragma once

#include <atomic>
#include <cstdint>

#include "mechanism.hpp"
#include "signal/two_counters.hpp"

namespace threadping::signal {

/// The published C++ ping-pong ("Inter Thread Latency", 2011): two counters next to each other in one line, one writer
/// each. A side spins on a load of the other's counter, then adds one to its own with a locked read-modify-write and
/// remembers what came out.
///
/// The write that must be seen is the other side's add. Because the counters share the line, every load of a waiting
/// side takes the line from the side that is about to write.
struct AddOneLine {
  static constexpr MechanismInfo kInfo{
      "add-one-line",
      "The published ping-pong: two counters in one cache line, each side waits for the other's and adds to its own.",
      "Burns both CPUs; the waiter's loads slow the writer, because both counters share the line.",
      false,
      256,
  };

  struct alignas(128) Cell {
    std::atomic<std::uint64_t> ping{0};
    std::atomic<std::uint64_t> pong{0};
  };

  template <Side S>
  static std::uint64_t turn(Cell& cell, std::uint64_t expected) {
    auto& own = S == Side::ping ? cell.ping : cell.pong;
    const auto& theirs = S == Side::ping ? cell.pong : cell.ping;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    std::uint64_t seen = 0;
    while ((seen = theirs.load(std::memory_order_seq_cst)) < wanted) {
    }
    if (seen != wanted) return TwoCounters<S>::hand_overs(seen);
    const std::uint64_t before = own.fetch_add(1, std::memory_order_seq_cst);
    return expected + (before - TwoCounters<S>::own(expected));  // not `expected` if somebody else wrote our counter
  }

  static void stop(Cell& cell) { poison_counters(cell); }
  static std::uint64_t peek(Cell& cell) { return sum_of_counters(cell); }
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>

#include "mechanism.hpp"
#include "signal/two_counters.hpp"

namespace threadping::signal {

/// Two counters on two lines, one writer each: a plain store with release order tells, a load with acquire order waits.
///
/// The write that must be seen is the other side's store-release; nothing here needs a fence or a locked instruction
/// on x86. Each hand-over moves one line from its writer to its reader, and the reader's own line is asked back by the
/// other side at the same time.
struct ReleaseTwoLines {
  static constexpr MechanismInfo kInfo{
      "release-two-lines",
      "Each side stores its counter with release order on a line of its own and spins with acquire loads on the "
      "other's.",
      "Burns both CPUs while it waits, but needs no locked instruction; the building block of single-writer queues.",
      false,
      256,
  };

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    alignas(128) std::atomic<std::uint64_t> pong{0};
  };

  template <Side S>
  static std::uint64_t turn(Cell& cell, std::uint64_t expected) {
    auto& own = S == Side::ping ? cell.ping : cell.pong;
    const auto& theirs = S == Side::ping ? cell.pong : cell.ping;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    std::uint64_t seen = 0;
    while ((seen = theirs.load(std::memory_order_acquire)) < wanted) {
    }
    if (seen != wanted) return TwoCounters<S>::hand_overs(seen);
    own.store(TwoCounters<S>::own(expected) + 1, std::memory_order_release);
    return expected;
  }

  static void stop(Cell& cell) { poison_counters(cell); }
  static std::uint64_t peek(Cell& cell) { return sum_of_counters(cell); }
};

}  // namespace threadping::signal

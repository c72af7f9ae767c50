#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "mechanism.hpp"
#include "signal/two_counters.hpp"

namespace threadping::signal {

/// The published locked signalling ("Locks & Condition Variables - Latency Impact", 2011): one lock, two conditions. A
/// side takes the lock and waits until the other's value has come; it takes the lock again, sets its own value and
/// signals the other's condition while it still holds the lock.
///
/// The write that must be seen is the value; the lock orders it. Whether a hand-over sleeps or not is the scheduler's
/// choice: what is measured is mostly the wake-up of an idle CPU.
struct Condition {
  static constexpr MechanismInfo kInfo{
      "condition",
      "The published locked signalling: one lock and two conditions, signalled while the lock is held.",
      "Sleeps while it waits and pays a wake-up for every hand-over; for threads that must not burn a CPU.",
      true,
      1,
  };

  struct alignas(128) Cell {
    std::mutex mutex;
    std::condition_variable ping_changed;
    std::condition_variable pong_changed;
    std::uint64_t ping = 0;
    std::uint64_t pong = 0;
  };

  template <Side S>
  static std::uint64_t turn(Cell& cell, std::uint64_t expected) {
    auto& own = S == Side::ping ? cell.ping : cell.pong;
    auto& own_changed = S == Side::ping ? cell.ping_changed : cell.pong_changed;
    const auto& theirs = S == Side::ping ? cell.pong : cell.ping;
    auto& theirs_changed = S == Side::ping ? cell.pong_changed : cell.ping_changed;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    {
      std::unique_lock lock(cell.mutex);
      theirs_changed.wait(lock, [&] { return theirs >= wanted; });
      if (theirs != wanted) return TwoCounters<S>::hand_overs(theirs);
    }
    const std::scoped_lock lock(cell.mutex);
    if (own >= kPoison) return own;
    own = TwoCounters<S>::own(expected) + 1;
    own_changed.notify_one();
    return expected;
  }

  static void stop(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    cell.ping = kPoison;
    cell.pong = kPoison;
    cell.ping_changed.notify_all();
    cell.pong_changed.notify_all();
  }
  static std::uint64_t peek(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    return cell.ping + cell.pong;
  }
};

}  // namespace threadping::signal

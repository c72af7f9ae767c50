#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// One lock, two conditions. A side takes the lock and waits until the other's value has come; it takes the lock again,
/// sets its own value and signals the other's condition, while it still holds the lock or after it has released it.
///
/// The write that must be seen is the value; the lock orders it. Whether a hand-over sleeps or not is the scheduler's
/// choice: what is measured is mostly the wake-up of an idle CPU.
template <bool kNotifyUnderLock>
struct ConditionSignal {
  struct alignas(128) Cell {
    std::mutex mutex;
    std::condition_variable ping_changed;
    std::condition_variable pong_changed;
    std::uint64_t ping = 0;
    std::uint64_t pong = 0;
  };

  template <Side S>
  static std::uint64_t turn(Cell& cell, std::uint64_t expected) {
    auto& own = own_of<S>(cell);
    auto& own_changed = S == Side::ping ? cell.ping_changed : cell.pong_changed;
    auto& theirs = theirs_of<S>(cell);
    auto& theirs_changed = S == Side::ping ? cell.pong_changed : cell.ping_changed;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    {
      std::unique_lock lock(cell.mutex);
      theirs_changed.wait(lock, [&] { return theirs >= wanted; });
      if (theirs != wanted) return TwoCounters<S>::hand_overs(theirs);
    }
    std::unique_lock lock(cell.mutex);  // NOLINT(misc-const-correctness): one of the two unlocks it
    if (own >= kPoison) return own;
    own = TwoCounters<S>::own(expected) + 1;
    if constexpr (!kNotifyUnderLock) lock.unlock();
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

/// The published locked signalling ("Locks & Condition Variables - Latency Impact", 2011).
struct Condition : ConditionSignal<true> {
  static constexpr MechanismInfo kInfo{
      .name = "condition",
      .summary = "The published locked signalling: one lock and two conditions, signalled while the lock is held.",
      .cpu_cost = "Sleeps while it waits and pays a wake-up for every hand-over; for threads that must not burn a CPU.",
      .blocking = true,
      .timed = kTimed,
      .lines = 1,
  };
};

/// The article's hypothesis: a waiter signalled under the lock wakes, finds it taken and sleeps again.
struct ConditionReleased : ConditionSignal<false> {
  static constexpr MechanismInfo kInfo{
      .name = "condition-released",
      .summary = "One lock and two conditions as in `condition`, but signalled after the lock was released.",
      .cpu_cost = "Sleeps while it waits and pays a wake-up for every hand-over; spares the woken thread a taken lock.",
      .blocking = true,
      .timed = kTimed,
      .lines = 1,
  };
};

}  // namespace threadping::signal

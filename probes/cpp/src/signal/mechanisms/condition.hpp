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
  static Awaited await(Cell& cell, std::uint64_t expected) {
    auto& theirs = theirs_of<S>(cell);
    auto& theirs_changed = S == Side::ping ? cell.pong_changed : cell.ping_changed;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    std::unique_lock lock(cell.mutex);
    theirs_changed.wait(lock, [&] { return theirs >= wanted; });
    if (theirs != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(theirs)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    auto& own = own_of<S>(cell);
    std::unique_lock lock(cell.mutex);  // NOLINT(misc-const-correctness): one of the two unlocks it
    if (own >= kPoison) return;
    own = TwoCounters<S>::own(expected) + 1;
    if constexpr (!kNotifyUnderLock) lock.unlock();
    (S == Side::ping ? cell.ping_changed : cell.pong_changed).notify_one();
  }

  static void stop(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    cell.ping = kPoison;
    cell.pong = kPoison;
    cell.ping_changed.notify_all();
    cell.pong_changed.notify_all();
  }
  static std::uint64_t hand_overs(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    return cell.ping + cell.pong;
  }
};

/// The published locked signalling ("Locks & Condition Variables - Latency Impact", 2011).
struct Condition : ConditionSignal<true> {
  static constexpr std::string_view kName = "condition";
};

/// The article's hypothesis: a waiter signalled under the lock wakes, finds it taken and sleeps again.
struct ConditionReleased : ConditionSignal<false> {
  static constexpr std::string_view kName = "condition-released";
};

}  // namespace threadping::signal

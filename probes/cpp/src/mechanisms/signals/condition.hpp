#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "mechanisms/pair.hpp"
#include "mechanisms/signal.hpp"

namespace threadping::signals {

/// A lock and a condition; a pair has one lock and two conditions, as the published locked signalling ("Locks &
/// Condition Variables - Latency Impact", 2011). The publisher takes the lock, stores the number and signals the
/// condition, while it still holds the lock or after it has released it; the awaiter waits at the condition.
///
/// The write that must be seen is the number; the lock orders it. Whether an awaiter sleeps or not is the scheduler's
/// choice: what is measured is mostly the wake-up of an idle CPU.
template <bool kNotifyUnderLock>
struct WithCondition {
  struct Cell {
    std::mutex own;
    std::mutex& mutex;
    std::condition_variable changed;
    std::atomic<std::uint64_t> published{0};  ///< Written under the lock; atomic for who peeks without it.

    Cell() : mutex(own) {}
    explicit Cell(SecondTo<Cell> second) : mutex(second.first.mutex) {}
  };

  /// The lock keeps what stop() has published from being overwritten.
  static void publish(Cell& cell, std::uint64_t n) {
    std::unique_lock lock(cell.mutex);  // NOLINT(misc-const-correctness): one of the two unlocks it
    if (peek(cell) >= kStopped) return;
    cell.published.store(n, std::memory_order_relaxed);
    if constexpr (!kNotifyUnderLock) lock.unlock();
    cell.changed.notify_one();
  }

  static std::uint64_t await(Cell& cell, std::uint64_t n) {
    std::unique_lock lock(cell.mutex);
    cell.changed.wait(lock, [&] { return peek(cell) >= n; });
    return peek(cell);
  }

  static void stop(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    cell.published.store(kStopped, std::memory_order_relaxed);
    cell.changed.notify_all();
  }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }
};

/// As published: whoever is woken finds the lock taken, and may sleep again.
struct Condition : WithCondition<true> {
  static constexpr std::string_view kName = "condition";
};

/// The article's hypothesis: an awaiter that is signalled when the lock is free need not sleep twice.
struct ConditionReleased : WithCondition<false> {
  static constexpr std::string_view kName = "condition-released";
};

}  // namespace threadping::signals

#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>

#include "notify/mechanism.hpp"

namespace threadping::notify {

/// A lock and a condition. The notifier takes the lock, counts the call and signals the condition, while it still holds
/// the lock or after it has released it; the waiter waits at the condition until there is news.
///
/// The write that must be seen is what is told; the lock orders it.
template <bool kNotifyUnderLock>
struct ConditionNotify {
  struct alignas(128) Cell {
    std::mutex mutex;
    std::condition_variable changed;
    Told told;
  };

  template <class Change>
  static void tell(Cell& cell, Change change) {
    std::unique_lock lock(cell.mutex);  // NOLINT(misc-const-correctness): one of the two unlocks it
    change();
    if constexpr (!kNotifyUnderLock) lock.unlock();
    cell.changed.notify_one();
  }

  template <class HasNews>
  static void await(Cell& cell, HasNews has_news) {
    std::unique_lock lock(cell.mutex);
    cell.changed.wait(lock, has_news);
  }
};

/// As published for Java's monitor: whoever is woken finds the lock taken, and may sleep again.
struct Condition : ConditionNotify<true> {
  static constexpr std::string_view kName = "condition";
};

struct ConditionReleased : ConditionNotify<false> {
  static constexpr std::string_view kName = "condition-released";
};

}  // namespace threadping::notify

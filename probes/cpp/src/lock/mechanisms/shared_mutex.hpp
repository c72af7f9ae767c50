#pragma once

#include <shared_mutex>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// std::shared_mutex, taken by writers only: what a reader-writer lock costs where nobody only reads.
class SharedMutex : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr MechanismInfo kInfo{
      .name = "shared-mutex",
      .summary = "std::shared_mutex around the increment, taken by writers only.",
      .cpu_cost =
          "A waiting thread sleeps; dearer than a mutex even without contention. For data that is read far more than "
          "written.",
      .blocking = true,
      .timed = kWait,
      .lines = kLines,
      .params = kParams,
  };

  void acquire(Own /*own*/) { mutex_.lock(); }
  void release(Own /*own*/) { mutex_.unlock(); }

 private:
  std::shared_mutex mutex_;
};

}  // namespace threadping::lock

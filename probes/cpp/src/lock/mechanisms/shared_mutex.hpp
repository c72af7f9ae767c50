#pragma once

#include <shared_mutex>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// std::shared_mutex, taken by writers only: what a reader-writer lock costs where nobody only reads.
class SharedMutex : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr std::string_view kName = "shared-mutex";
  static constexpr bool kBlocking = true;

  void acquire(Own /*own*/) { mutex_.lock(); }
  void release(Own /*own*/) { mutex_.unlock(); }

 private:
  std::shared_mutex mutex_;
};

}  // namespace threadping::lock

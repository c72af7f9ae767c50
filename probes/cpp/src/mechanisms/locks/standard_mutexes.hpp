#pragma once

#include <mutex>
#include <shared_mutex>
#include <string_view>

#include "mechanisms/lock.hpp"

namespace threadping::locks {

/// A mutex of the standard library.
template <class StandardMutex>
class OfTheStandard : public UsedAlike {
 public:
  static constexpr bool kBlocking = true;

  void acquire(Own /*own*/) { mutex_.lock(); }
  void release(Own /*own*/) { mutex_.unlock(); }

 private:
  StandardMutex mutex_;
};

/// std::mutex: on glibc a futex, taken by one compare-and-swap where it is free. The one that finds it taken sleeps in
/// the kernel at once. Whoever asks when it is released gets it, be it the last holder again.
struct Mutex : OfTheStandard<std::mutex> {
  static constexpr std::string_view kName = "mutex";
};

/// std::shared_mutex, taken by writers only: what a reader-writer lock costs where nobody only reads.
struct SharedMutex : OfTheStandard<std::shared_mutex> {
  static constexpr std::string_view kName = "shared-mutex";
};

}  // namespace threadping::locks

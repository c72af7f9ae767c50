#pragma once

#include <mutex>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// std::mutex: on glibc a futex, taken by one compare-and-swap where it is free. The one that finds it taken sleeps in
/// the kernel at once. Whoever asks when it is released gets it, be it the last holder again.
class Mutex : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr std::string_view kName = "mutex";
  static constexpr bool kBlocking = true;

  void acquire(Own /*own*/) { mutex_.lock(); }
  void release(Own /*own*/) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace threadping::lock

#pragma once

#include <atomic>

#include "mechanisms/lock.hpp"
#include "platform/pause.hpp"

namespace threadping::locks {

/// A flag that is swapped in when it looks free (Rudolph and Segall, Dynamic decentralized cache schemes, 1984):
/// waiters read their own copy of the line, so that only a release makes it travel. Then all of them swap at once.
///
/// The release store publishes what the holder wrote; the acquiring exchange that finds the lock free sees it.
class TestAndTestAndSet : public UsedAlike {
 public:
  static constexpr std::string_view kName = "test-and-test-and-set";
  static constexpr bool kBlocking = false;

  void acquire(Own /*own*/) {
    while (taken_.exchange(true, std::memory_order_acquire))
      while (taken_.load(std::memory_order_relaxed)) platform::pause();
  }
  void release(Own /*own*/) { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_ = false;
};

}  // namespace threadping::locks

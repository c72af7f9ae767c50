// A lock by the names of the standard library; acquire() and release() do as well.
#pragma once
#include <atomic>

class Spinlock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire))
      while (taken_.test(std::memory_order_relaxed)) {
      }
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

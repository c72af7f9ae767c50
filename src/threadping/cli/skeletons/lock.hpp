#pragma once

#include <atomic>

/// A lock for any number of threads.
class MyLock {
 public:
  /// Whether a thread that waits sleeps in the kernel.
  static constexpr bool kBlocking = false;

  /// Waits until the lock is the calling thread's alone, and sees all that was written before the last release().
  void acquire() {
    while (held_.exchange(true, std::memory_order_acquire))
      while (held_.load(std::memory_order_relaxed)) {
      }
  }

  /// Gives the lock back. The thread that acquired it calls this.
  void release() { held_.store(false, std::memory_order_release); }

 private:
  alignas(128) std::atomic<bool> held_{false};
};

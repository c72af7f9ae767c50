#pragma once

#include <pthread.h>

#include <cstddef>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// pthread_spin_lock: glibc's test-and-set that looks, without a PAUSE on some versions, until the lock is free. It
/// knows nothing of a holder that was preempted.
class PthreadSpinlock : public UsedAlike {
 public:
  static constexpr MechanismInfo kInfo{
      .name = "pthread-spinlock",
      .summary = "pthread_spin_lock around the increment.",
      .cpu_cost =
          "Burns the CPU of every waiting thread; with more threads than CPUs a time slice when the holder is "
          "preempted.",
      .blocking = false,
      .timed = kWait,
      .lines = kLines,
      .params = kParams,
  };
  explicit PthreadSpinlock(std::size_t threads) : UsedAlike(threads) {
    pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE);
  }
  PthreadSpinlock(const PthreadSpinlock&) = delete;
  PthreadSpinlock& operator=(const PthreadSpinlock&) = delete;
  ~PthreadSpinlock() { pthread_spin_destroy(&lock_); }

  void acquire(Own /*own*/) { pthread_spin_lock(&lock_); }
  void release(Own /*own*/) { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_{};
};

}  // namespace threadping::lock

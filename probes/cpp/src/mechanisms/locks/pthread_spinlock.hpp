#pragma once

#include <pthread.h>

#include "mechanisms/lock.hpp"

namespace threadping::locks {

/// pthread_spin_lock: glibc's test-and-set that looks, without a PAUSE on some versions, until the lock is free. It
/// knows nothing of a holder that was preempted.
class PthreadSpinlock : public UsedAlike {
 public:
  static constexpr std::string_view kName = "pthread-spinlock";
  static constexpr bool kBlocking = false;

  PthreadSpinlock() { pthread_spin_init(&lock_, PTHREAD_PROCESS_PRIVATE); }
  PthreadSpinlock(const PthreadSpinlock&) = delete;
  PthreadSpinlock& operator=(const PthreadSpinlock&) = delete;
  ~PthreadSpinlock() { pthread_spin_destroy(&lock_); }

  void acquire(Own /*own*/) { pthread_spin_lock(&lock_); }
  void release(Own /*own*/) { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_{};
};

}  // namespace threadping::locks

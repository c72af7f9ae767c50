#pragma once

#include <pthread.h>

#include "mechanisms/lock.hpp"

namespace threadping::locks {

/// PTHREAD_MUTEX_ADAPTIVE_NP of glibc: who finds it taken looks again some times (up to 100 by default, as many as it
/// needed of late: glibc, nptl/pthread_mutex_lock.c), and only then sleeps. An ordinary mutex where it does not exist.
class AdaptiveMutex : public UsedAlike {
 public:
  static constexpr std::string_view kName = "adaptive-mutex";
  static constexpr bool kBlocking = true;

  void acquire(Own /*own*/) { pthread_mutex_lock(&mutex_); }
  void release(Own /*own*/) { pthread_mutex_unlock(&mutex_); }

 private:
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
#endif
};

}  // namespace threadping::locks

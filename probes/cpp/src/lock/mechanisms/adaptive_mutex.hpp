#pragma once

#include <pthread.h>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// PTHREAD_MUTEX_ADAPTIVE_NP of glibc: who finds it taken looks again some times (up to 100 by default, as many as it
/// needed of late: glibc, nptl/pthread_mutex_lock.c), and only then sleeps. An ordinary mutex where it does not exist.
class AdaptiveMutex : public UsedAlike {
 public:
  static constexpr std::string_view kName = "adaptive-mutex";
  static constexpr bool kBlocking = true;

  AdaptiveMutex() {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&mutex_, &kind);
    pthread_mutexattr_destroy(&kind);
  }
  AdaptiveMutex(const AdaptiveMutex&) = delete;
  AdaptiveMutex& operator=(const AdaptiveMutex&) = delete;
  ~AdaptiveMutex() { pthread_mutex_destroy(&mutex_); }

  void acquire(Own /*own*/) { pthread_mutex_lock(&mutex_); }
  void release(Own /*own*/) { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_{};
};

}  // namespace threadping::lock

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "mechanisms/lock.hpp"
#include "platform/pause.hpp"

namespace threadping::locks {

/// A reader-writer lock of POSIX. `kKind` is glibc's preference (pthread_rwlockattr_setkind_np), which other libraries
/// do not have: there both are alike.
template <int kKind>
class PthreadRwlock : public UsedAlike {
 public:
  static constexpr bool kBlocking = true;

  PthreadRwlock() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifdef __GLIBC__
    pthread_rwlockattr_setkind_np(&attributes, kKind);
#endif
    pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
  }
  PthreadRwlock(const PthreadRwlock&) = delete;
  PthreadRwlock& operator=(const PthreadRwlock&) = delete;
  ~PthreadRwlock() { pthread_rwlock_destroy(&lock_); }

  void acquire(Own /*own*/) { pthread_rwlock_wrlock(&lock_); }
  void release(Own /*own*/) { pthread_rwlock_unlock(&lock_); }

  template <class Look>
  [[gnu::always_inline]] void read(Own /*own*/, Look look) {
    pthread_rwlock_rdlock(&lock_);
    look();
    pthread_rwlock_unlock(&lock_);
  }

 private:
  pthread_rwlock_t lock_{};
};

#ifdef __GLIBC__
inline constexpr int kPreferReaders = PTHREAD_RWLOCK_PREFER_READER_NP;
inline constexpr int kPreferWriters = PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
#else
inline constexpr int kPreferReaders = 0;
inline constexpr int kPreferWriters = 1;
#endif

/// A reader comes in although a writer waits: readers that never stop keep a writer out.
struct PthreadRwlockReaders : PthreadRwlock<kPreferReaders> {
  static constexpr std::string_view kName = "pthread-rwlock-readers";
};

/// A reader waits while a writer waits; a thread may therefore not take it again while it reads.
struct PthreadRwlockWriters : PthreadRwlock<kPreferWriters> {
  static constexpr std::string_view kName = "pthread-rwlock-writers";
};

/// A sequence lock (as of Linux; Lameter, Effective synchronization on Linux/NUMA systems, 2005): a writer makes the
/// sequence odd, writes, and makes it even; a reader writes nothing, and reads again if the sequence was odd or changed
/// meanwhile. So readers do not disturb each other, nor a writer, and writers can keep a reader out.
///
/// Orders as in Boehm, Can seqlocks get along with programming language memory models?, 2012. The writer's fence keeps
/// what it writes behind the odd sequence; its release store publishes that. The reader's acquiring load sees what was
/// published, and its fence keeps what it reads before the second look. What is read under it must be atomic.
class SeqLock : public UsedAlike {
 public:
  static constexpr std::string_view kName = "seqlock";
  static constexpr bool kBlocking = false;

  void acquire(Own /*own*/) {
    std::uint64_t seen = sequence_.load(std::memory_order_relaxed);
    while (seen % 2 == 1 ||
           !sequence_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      platform::pause();
      seen = sequence_.load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_release);
  }
  void release(Own /*own*/) {
    sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  template <class Look>
  [[gnu::always_inline]] void read(Own /*own*/, Look look) {
    for (;; platform::pause()) {
      const std::uint64_t before = sequence_.load(std::memory_order_acquire);
      if (before % 2 == 1) continue;
      look();
      std::atomic_thread_fence(std::memory_order_acquire);
      if (sequence_.load(std::memory_order_relaxed) == before) return;
    }
  }

 private:
  std::atomic<std::uint64_t> sequence_ = 0;
};

}  // namespace threadping::locks

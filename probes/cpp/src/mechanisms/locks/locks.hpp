#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>

#include "mechanisms/lock.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::locks {

/// A mutex of the standard library.
template <class StandardMutex>
class OfTheStandard : public UsedAlike {
 public:
  static constexpr bool kBlocking = true;

  void acquire(Own /*own*/) { mutex_.lock(); }
  void release(Own /*own*/) { mutex_.unlock(); }

 protected:
  StandardMutex mutex_;
};

/// std::mutex: on glibc a futex, taken by one compare-and-swap where it is free. The one that finds it taken sleeps in
/// the kernel at once. A thread that asks just when it is released gets it, even the last holder.
struct Mutex : OfTheStandard<std::mutex> {
  static constexpr std::string_view kName = "mutex";
};

/// std::shared_mutex, which on glibc is a pthread_rwlock_t that prefers readers. Unless the request says who reads it
/// is taken by writers only: what a reader-writer lock costs without readers.
class SharedMutex : public OfTheStandard<std::shared_mutex> {
 public:
  static constexpr std::string_view kName = "shared-mutex";

  template <class Look>
  [[gnu::always_inline]] void read(Own /*own*/, Look look) {
    mutex_.lock_shared();
    look();
    mutex_.unlock_shared();
  }
};

/// PTHREAD_MUTEX_ADAPTIVE_NP of glibc: a thread that finds it taken tries again some times (up to 100 by default, as
/// many as it needed of late: glibc, nptl/pthread_mutex_lock.c), and only then sleeps. An ordinary mutex where it does
/// not exist.
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

/// pthread_spin_lock: glibc's test-and-set that polls, without a PAUSE on some versions, until the lock is free. It
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

/// A thread draws a number and waits for its turn (Reed and Kanodia, Synchronization with eventcounts and sequencers,
/// 1979; Mellor-Crummey and Scott, 1991): fair, in the order of arrival. Two words in one line: all waiters read it,
/// and each release takes it from all of them.
///
/// The number drawn needs no ordering; the release store of the next turn publishes what the holder wrote, and the
/// acquiring load that finds its own number sees it. Only the holder writes the turn, so it may add without a locked
/// operation.
class TicketLock : public UsedAlike {
 public:
  static constexpr std::string_view kName = "ticket-lock";
  static constexpr bool kBlocking = false;

  void acquire(Own /*own*/) {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (turn_.load(std::memory_order_acquire) != mine) platform::pause();
  }
  void release(Own /*own*/) { turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> turn_ = 0;
};

/// The queue lock of Mellor-Crummey and Scott (Algorithms for scalable synchronization on shared-memory
/// multiprocessors, 1991): waiters form a list, and each polls a line of its own, which only its predecessor writes.
/// Fair, and a release touches one waiter's line, however many wait.
///
/// The swap of the tail publishes our node's empty link to the successor (release) and sees the predecessor's node
/// (acquire). The predecessor finds our node through its link (release, acquire), and its release store of `waits`
/// hands over what it wrote inside the lock.
class McsLock {
 public:
  static constexpr std::string_view kName = "mcs-lock";
  static constexpr bool kBlocking = false;
  struct alignas(platform::kLinePair) Node {
    std::atomic<Node*> next = nullptr;
    std::atomic<bool> waits = false;
  };
  using Own = Node*;
  static constexpr std::size_t kSeatBytes = sizeof(Node);

  explicit McsLock(Seats seats) : nodes_(seats.take<Node>()) {}

  Own own(std::size_t thread) { return &nodes_[thread]; }

  void acquire(Own own) {
    own->next.store(nullptr, std::memory_order_relaxed);
    Node* const before = tail_.exchange(own, std::memory_order_acq_rel);
    if (before == nullptr) return;
    own->waits.store(true, std::memory_order_relaxed);
    before->next.store(own, std::memory_order_release);
    while (own->waits.load(std::memory_order_acquire)) platform::pause();
  }

  void release(Own own) {
    Node* next = own->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Node* last = own;
      if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
      // somebody has swapped the tail and is about to link itself
      while ((next = own->next.load(std::memory_order_acquire)) == nullptr) platform::pause();
    }
    next->waits.store(false, std::memory_order_release);
  }

 private:
  std::atomic<Node*> tail_ = nullptr;
  std::span<Node> nodes_;
};

}  // namespace threadping::locks

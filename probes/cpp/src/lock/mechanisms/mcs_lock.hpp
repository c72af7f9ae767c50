#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "lock/mechanism.hpp"
#include "platform/pause.hpp"

namespace threadping::lock {

/// The queue lock of Mellor-Crummey and Scott (Algorithms for scalable synchronization on shared-memory
/// multiprocessors, 1991): waiters form a list, and each looks at a line of its own, which only its predecessor writes.
/// Fair, and a release touches one waiter's line, however many wait.
///
/// The swap of the tail publishes our node's empty link to the successor (release) and sees the predecessor's node
/// (acquire). The predecessor finds our node through its link (release, acquire), and its release store of `waits`
/// hands over what it wrote inside the lock.
class McsLock {
 public:
  static constexpr MechanismInfo kInfo{
      .name = "mcs-lock",
      .summary = "A queue of waiting threads, each of which looks, with PAUSE, at a line of its own.",
      .cpu_cost =
          "Burns the CPU of every waiting thread, but moves one line a hand-over; fair, so it needs a CPU for every "
          "thread.",
      .blocking = false,
      .timed = kWait,
      .lines = kLines,
      .params = kParams,
  };
  struct alignas(platform::kLinePair) Node {
    std::atomic<Node*> next = nullptr;
    std::atomic<bool> waits = false;
  };
  using Own = Node*;

  explicit McsLock(std::size_t threads) : nodes_(threads) {}

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
  std::vector<Node> nodes_;
};

}  // namespace threadping::lock

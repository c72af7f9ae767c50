#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "mechanisms/lock.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::locks {

/// The queue lock of Mellor-Crummey and Scott (Algorithms for scalable synchronization on shared-memory
/// multiprocessors, 1991): waiters form a list, and each looks at a line of its own, which only its predecessor writes.
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

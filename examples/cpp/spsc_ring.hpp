// A ring of one producer and one consumer: what everybody writes first without a lock.
#pragma once
#include <atomic>
#include <cstddef>
#include <vector>

template <class Message>
class SpscRing {
 public:
  explicit SpscRing(std::size_t size) : slots_(size + 1) {}  // one is always free, or full would look like empty
  bool push(const Message& message) {
    const std::size_t at = tail_.load(std::memory_order_relaxed), next = after(at);
    if (next == head_.load(std::memory_order_acquire)) return false;
    slots_[at] = message;
    tail_.store(next, std::memory_order_release);
    return true;
  }
  bool pop(Message& message) {
    const std::size_t at = head_.load(std::memory_order_relaxed);
    if (at == tail_.load(std::memory_order_acquire)) return false;
    message = slots_[at];
    head_.store(after(at), std::memory_order_release);
    return true;
  }

 private:
  std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }
  std::vector<Message> slots_;
  alignas(128) std::atomic<std::size_t> head_{0};
  alignas(128) std::atomic<std::size_t> tail_{0};
};

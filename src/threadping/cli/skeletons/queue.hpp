#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

/// A queue of messages, first in, first out, of one producer and one consumer.
template <class Message>
class MyQueue {
 public:
  /// Whether several threads may push at once.
  static constexpr bool kManyProducers = false;

  /// A queue for this number of messages.
  explicit MyQueue(std::size_t size) : slots_(size) {}

  /// Puts a message in; false, at once, if the queue is full. What it holds is seen by the thread that pops it.
  bool push(const Message& message) {
    const std::size_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - popped_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[pushed % slots_.size()] = message;
    pushed_.store(pushed + 1, std::memory_order_release);
    return true;
  }

  /// Takes the oldest message out; false, at once, if there is none.
  bool pop(Message& message) {
    const std::size_t popped = popped_.load(std::memory_order_relaxed);
    if (popped == pushed_.load(std::memory_order_acquire)) return false;
    message = slots_[popped % slots_.size()];
    popped_.store(popped + 1, std::memory_order_release);
    return true;
  }

 private:
  std::vector<Message> slots_;
  alignas(128) std::atomic<std::size_t> pushed_{0};
  alignas(128) std::atomic<std::size_t> popped_{0};
};

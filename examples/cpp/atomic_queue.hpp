// atomic_queue::AtomicQueueB2 (Debian: libatomic-queue-dev).
#pragma once
#include <atomic_queue/atomic_queue.h>

#include <cstddef>

template <class Message>
class AtomicQueue {
 public:
  explicit AtomicQueue(std::size_t size) : queue_(static_cast<unsigned>(size)) {}
  bool push(const Message& message) { return queue_.try_push(message); }
  bool pop(Message& message) { return queue_.try_pop(message); }

 private:
  atomic_queue::AtomicQueueB2<Message> queue_;
};

// moodycamel::ConcurrentQueue (Debian: libconcurrentqueue-dev), without tokens: each producer is found by its thread.
#pragma once
#include <concurrentqueue/concurrentqueue.h>

#include <cstddef>

template <class Message>
class ConcurrentQueue {
 public:
  static constexpr bool kManyProducers = true;
  static constexpr bool kBounded = false;  // enqueue makes blocks where there are none
  explicit ConcurrentQueue(std::size_t size) : queue_(size) {}
  bool push(const Message& message) { return queue_.enqueue(message); }
  bool pop(Message& message) { return queue_.try_dequeue(message); }

 private:
  moodycamel::ConcurrentQueue<Message> queue_;
};

// tbb::concurrent_bounded_queue (Debian: libtbb-dev). --cxxflags -ltbb
#pragma once
#include <tbb/concurrent_queue.h>

#include <cstddef>

template <class Message>
class TbbBoundedQueue {
 public:
  static constexpr bool kManyProducers = true;
  explicit TbbBoundedQueue(std::size_t size) { queue_.set_capacity(static_cast<std::ptrdiff_t>(size)); }
  bool push(const Message& message) { return queue_.try_push(message); }
  bool pop(Message& message) { return queue_.try_pop(message); }

 private:
  tbb::concurrent_bounded_queue<Message> queue_;
};

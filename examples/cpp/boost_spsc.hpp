// boost::lockfree::spsc_queue (Debian: libboost-dev).
#pragma once
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>

template <class Message>
class BoostSpscQueue {
 public:
  explicit BoostSpscQueue(std::size_t size) : queue_(size) {}
  bool push(const Message& message) { return queue_.push(message); }
  bool pop(Message& message) { return queue_.pop(message); }

 private:
  boost::lockfree::spsc_queue<Message> queue_;
};

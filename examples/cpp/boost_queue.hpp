// boost::lockfree::queue (Debian: libboost-dev), of many producers; bounded_push takes no more nodes than there are.
#pragma once
#include <boost/lockfree/queue.hpp>
#include <cstddef>

template <class Message>
class BoostQueue {
 public:
  static constexpr bool kManyProducers = true;
  explicit BoostQueue(std::size_t size) : queue_(size) {}
  bool push(const Message& message) { return queue_.bounded_push(message); }
  bool pop(Message& message) { return queue_.pop(message); }

 private:
  boost::lockfree::queue<Message> queue_;
};

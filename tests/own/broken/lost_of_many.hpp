// Several may send, and it loses every 1,000th message.
#pragma once
#include <mutex>

#include "lost.hpp"

template <class Message>
class LostOfMany : public Lost<Message> {
 public:
  static constexpr bool kManyProducers = true;
  using Lost<Message>::Lost;
  bool push(const Message& message) {
    const std::scoped_lock lock(mutex_);
    return Lost<Message>::push(message);
  }

 private:
  std::mutex mutex_;
};

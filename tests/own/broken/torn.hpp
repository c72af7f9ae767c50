// Hands over every 1,000th message before it is whole.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Torn : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool push(const Message& message) {
    Message half{};
    half.id = message.id;
    return SpscRing<Message>::push(++count_ % 1000 == 0 ? half : message);
  }

 private:
  std::size_t count_ = 0;
};

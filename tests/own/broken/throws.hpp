// Throws after a while.
#pragma once
#include <stdexcept>
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Throws : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool pop(Message& message) {
    if (++count_ == 1000) throw std::runtime_error("the slot is gone");
    return SpscRing<Message>::pop(message);
  }

 private:
  std::size_t count_ = 0;
};

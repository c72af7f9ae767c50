// Gives every 1,000th message twice.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Doubled : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool pop(Message& message) {
    if (again_) {
      again_ = false;
      message = last_;
      return true;
    }
    if (!SpscRing<Message>::pop(message)) return false;
    last_ = message;
    again_ = ++count_ % 1000 == 0;
    return true;
  }

 private:
  Message last_{};
  bool again_ = false;
  std::size_t count_ = 0;
};

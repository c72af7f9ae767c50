// Overwrites what was not taken instead of being full.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class NeverFull : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool push(const Message& message) {
    SpscRing<Message>::push(message);
    return true;
  }
};

// Waits where it should say that it is full.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Hangs : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool push(const Message& message) {
    while (!SpscRing<Message>::push(message)) {
    }
    return true;
  }
};

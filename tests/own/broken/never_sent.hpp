// Gives once what was never sent.
#pragma once
#include <cstring>

#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class NeverSent : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool pop(Message& message) {
    if (!SpscRing<Message>::pop(message)) return false;
    if (++count_ == 1000) std::memset(&message, 0x77, sizeof message);
    return true;
  }

 private:
  std::size_t count_ = 0;
};

// Loses every 1,000th message.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Lost : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool push(const Message& message) {
    if (++count_ % 1000 == 0) return true;
    if (SpscRing<Message>::push(message)) return true;
    --count_;
    return false;
  }

 private:
  std::size_t count_ = 0;
};

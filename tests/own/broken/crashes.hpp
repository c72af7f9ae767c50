// Writes to nowhere after a while.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Crashes : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool pop(Message& message) {
    if (++count_ == 1000) *nowhere_ = 1;
    return SpscRing<Message>::pop(message);
  }

 private:
  int* volatile nowhere_ = nullptr;
  std::size_t count_ = 0;
};

// Lets every 1,000th message be overtaken.
#pragma once
#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class Reordered : public SpscRing<Message> {
 public:
  using SpscRing<Message>::SpscRing;
  bool pop(Message& message) {
    if (kept_ && SpscRing<Message>::pop(message)) return true;
    if (kept_) {
      message = last_;
      kept_ = false;
      return true;
    }
    if (!SpscRing<Message>::pop(message)) return false;
    if (++count_ % 1000 != 0) return true;
    last_ = message;
    kept_ = true;
    return SpscRing<Message>::pop(message);
  }

 private:
  Message last_{};
  bool kept_ = false;
  std::size_t count_ = 0;
};

// Its constructor throws.
#pragma once
#include <stdexcept>

#include "../../../examples/cpp/spsc_ring.hpp"

template <class Message>
class ThrowsAtOnce : public SpscRing<Message> {
 public:
  explicit ThrowsAtOnce(std::size_t size) : SpscRing<Message>(size) {
    if (size > 8) throw std::runtime_error("too large");
  }
};

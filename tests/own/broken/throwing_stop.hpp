// Its stop() throws.
#pragma once
#include <stdexcept>

#include "../../../examples/cpp/atomic_wait.hpp"

class ThrowingStop : public AtomicFlag {
 public:
  void stop() { throw std::runtime_error("nobody waits"); }
};

// Its stop() throws.
#pragma once
#include <stdexcept>

#include "../../../examples/cpp/spin_flag.hpp"

class ThrowingStop : public SpinFlag {
 public:
  void stop() { throw std::runtime_error("nobody waits"); }
};

// Its stop() does nothing.
#pragma once
#include "../../../examples/cpp/spin_flag.hpp"

class UnstoppableSignal : public SpinFlag {
 public:
  void stop() {}
};

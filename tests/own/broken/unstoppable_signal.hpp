// Its stop() does nothing.
#pragma once
#include "../../../examples/cpp/atomic_wait.hpp"

class UnstoppableSignal : public AtomicFlag {
 public:
  void stop() {}
};

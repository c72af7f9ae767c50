// Its stop() ends one wait, and none that begins later.
#pragma once
#include "../../../examples/cpp/atomic_wait.hpp"

class OnceStoppedSignal : public AtomicFlag {
 public:
  std::uint64_t await(std::uint64_t number) {
    const std::uint64_t seen = AtomicFlag::await(number);
    if (seen == std::uint64_t{1} << 62) publish(0);
    return seen;
  }
};

// Loses the 100th publication.
#pragma once
#include "../../../examples/cpp/spin_flag.hpp"

class LostSignal : public SpinFlag {
 public:
  void publish(std::uint64_t number) {
    if (number != 100) SpinFlag::publish(number);
  }
};

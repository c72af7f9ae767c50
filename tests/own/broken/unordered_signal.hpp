// Takes from the 100th publication on as there what is not: what was written before is not seen.
#pragma once
#include "../../../examples/cpp/spin_flag.hpp"

class UnorderedSignal : public SpinFlag {
 public:
  std::uint64_t await(std::uint64_t number) const { return number < 100 ? SpinFlag::await(number) : number; }
};

// Does not wait for the 100th publication.
#pragma once
#include "../../../examples/cpp/spin_flag.hpp"

class EarlySignal : public SpinFlag {
 public:
  std::uint64_t await(std::uint64_t number) const { return SpinFlag::await(number == 100 ? number - 1 : number); }
};

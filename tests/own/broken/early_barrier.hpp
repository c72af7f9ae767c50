// Lets all go when one thread is still missing.
#pragma once
#include "../../../examples/cpp/spin_barrier.hpp"

class EarlyBarrier : public SpinBarrier {
 public:
  explicit EarlyBarrier(std::size_t threads) : SpinBarrier(threads - 1) {}
};

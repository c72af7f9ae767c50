// Lets all go when one thread is still missing.
#pragma once
#include "../../../examples/cpp/spin_barrier.hpp"

class EarlyMeeting : public SpinBarrier {
 public:
  explicit EarlyMeeting(std::size_t threads) : SpinBarrier(threads - 1) {}
};

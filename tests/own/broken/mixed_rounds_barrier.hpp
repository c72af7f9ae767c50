// The coordinator waits for one worker fewer than there are, and may begin the next round too early.
#pragma once
#include "../../../src/threadping/cli/skeletons/barrier.hpp"

class MixedRoundsBarrier : public MyBarrier {
 public:
  explicit MixedRoundsBarrier(std::size_t workers) : MyBarrier(workers - 1) {}
};

// The caller waits for one member fewer than there are, and may begin the next round too early.
#pragma once
#include "../../../src/threadping/cli/skeletons/barrier.hpp"

class MixedRoundsBarrier : public MyBarrier {
 public:
  explicit MixedRoundsBarrier(std::size_t members) : MyBarrier(members - 1) {}
};

// Wakes nobody in one of its rounds.
#pragma once
#include "../../../src/threadping/cli/skeletons/crowd.hpp"

class LostWakeUpCrowd : public MyCrowd {
 public:
  using MyCrowd::MyCrowd;
  void release(std::uint64_t round) {
    if (round != 100) MyCrowd::release(round);
  }
};

// Wakes nobody in one of its rounds.
#pragma once
#include "../../../src/threadping/cli/skeletons/barrier.hpp"

class LostWakeUpBarrier : public MyBarrier {
 public:
  using MyBarrier::MyBarrier;
  void release(std::uint64_t round) {
    if (round != 100) MyBarrier::release(round);
  }
};

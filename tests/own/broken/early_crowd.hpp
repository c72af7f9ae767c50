// Lets its member 1 go without waiting, but now and then.
#pragma once
#include "../../../src/threadping/cli/skeletons/crowd.hpp"

class EarlyCrowd : public MyCrowd {
 public:
  using MyCrowd::MyCrowd;
  void await(std::size_t member, std::uint64_t round) const {
    if (member != 1 || round % 8 == 0) MyCrowd::await(member, round);
  }
};

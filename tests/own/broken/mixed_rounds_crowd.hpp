// The caller waits for one member fewer than there are, and may begin the next round too early.
#pragma once
#include "../../../src/threadping/cli/skeletons/crowd.hpp"

class MixedRoundsCrowd : public MyCrowd {
 public:
  explicit MixedRoundsCrowd(std::size_t members) : MyCrowd(members - 1) {}
};

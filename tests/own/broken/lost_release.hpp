// Forgets its 1,000th release.
#pragma once
#include "../../../examples/cpp/spinlock.hpp"

class LostRelease : public Spinlock {
 public:
  void unlock() {
    if (++count_ != 1000) Spinlock::unlock();
  }

 private:
  int count_ = 0;
};

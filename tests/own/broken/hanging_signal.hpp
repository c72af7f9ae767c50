// Its publish() does not return any more once its awaiter has come a hundred times.
#pragma once
#include "../../../examples/cpp/spin_flag.hpp"

class HangingSignal : public SpinFlag {
 public:
  void publish(std::uint64_t number) {
    while (awaited_ >= 100) {
    }
    SpinFlag::publish(number);
  }
  std::uint64_t await(std::uint64_t number) {
    ++awaited_;
    return SpinFlag::await(number);
  }

 private:
  std::atomic<int> awaited_{0};
};

#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// Read, add, compare and swap, and again if another was quicker: what every lock-free update of a value does that no
/// single instruction can do.
class CasLoop : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr std::string_view kName = "cas-loop";
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;

  void add(Own /*own*/) {
    std::uint64_t value = value_.load(std::memory_order_relaxed);
    while (!value_.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
    }
  }
  std::uint64_t sum() { return value_; }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace threadping::lock

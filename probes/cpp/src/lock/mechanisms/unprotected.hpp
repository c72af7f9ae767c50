#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// Load, add, store, and nothing between them that keeps others out: increments are lost whenever two threads read the
/// same value. Atomic accesses without any order, so that the compiler may not add the whole loop up at once.
class Unprotected : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr MechanismInfo kInfo{
      .name = "unprotected",
      .summary = "A plain load, addition and store by all threads: increments are lost, and how many is the result.",
      .cpu_cost = "Costs what the line's travels cost; never right with more than one thread.",
      .blocking = false,
      .timed = kIncrement,
      .lines = kLines,
      .params = kParams,
  };
  static constexpr bool kExact = false;

  void add(Own /*own*/) { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t sum() { return value_; }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace threadping::lock

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

  static constexpr std::string_view kName = "unprotected";
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = false;

  void add(Own /*own*/) { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t sum() { return value_; }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace threadping::lock

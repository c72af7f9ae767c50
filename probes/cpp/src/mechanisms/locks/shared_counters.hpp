#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "mechanisms/lock.hpp"

namespace threadping::locks {

/// One word that all threads add to.
class SharedCounter : public UsedAlike {
 public:
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;
  static constexpr bool kTellsBefore = true;

  [[nodiscard]] std::uint64_t sum() const { return value_; }

 protected:
  std::atomic<std::uint64_t> value_ = 0;
};

/// One locked addition (x86: LOCK ADD or XADD). Relaxed: the sum needs no order with anything else, and on x86 every
/// locked operation is a full barrier anyway.
class FetchAdd : public SharedCounter {
 public:
  static constexpr std::string_view kName = "fetch-add";

  void add(Own /*own*/) { value_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t fetch(Own /*own*/) { return value_.fetch_add(1, std::memory_order_relaxed); }
};

/// Read, add, compare and swap, and again if another was quicker: what every lock-free update of a value does that no
/// single instruction can do.
class CasLoop : public SharedCounter {
 public:
  static constexpr std::string_view kName = "cas-loop";

  void add(Own own) { fetch(own); }
  std::uint64_t fetch(Own /*own*/) {
    std::uint64_t value = value_.load(std::memory_order_relaxed);
    while (!value_.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
    }
    return value;
  }
};

/// Load, add, store, and nothing between them that keeps others out: increments are lost whenever two threads read the
/// same value. Atomic accesses without any order, so that the compiler may not add the whole loop up at once.
class Unprotected : public SharedCounter {
 public:
  static constexpr std::string_view kName = "unprotected";
  static constexpr bool kExact = false;
  static constexpr bool kTellsBefore = false;  ///< What was there before may be what another has overwritten.

  void add(Own /*own*/) { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

}  // namespace threadping::locks

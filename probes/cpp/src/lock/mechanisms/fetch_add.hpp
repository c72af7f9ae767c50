#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// One locked addition (x86: LOCK ADD or XADD). Relaxed: the sum needs no order with anything else, and on x86 every
/// locked operation is a full barrier anyway.
class FetchAdd : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr std::string_view kName = "fetch-add";
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;

  void add(Own /*own*/) { value_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t sum() { return value_; }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace threadping::lock

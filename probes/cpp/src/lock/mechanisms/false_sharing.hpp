#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// As single-writer-release, but the counters stand side by side: eight threads share a line of 64 bytes although none
/// reads what another writes.
class FalseSharing {
 public:
  static constexpr MechanismInfo kInfo{
      .name = "false-sharing",
      .summary = "Each thread adds to a counter of its own, side by side with the others' in one line.",
      .cpu_cost = "The line travels although nothing is shared: pad what different threads write.",
      .blocking = false,
      .timed = kIncrement,
      .lines = kLines,
      .params = kParams,
  };
  static constexpr bool kExact = true;
  struct Slot {
    std::atomic<std::uint64_t> value = 0;
  };
  using Own = Slot*;

  explicit FalseSharing(std::size_t threads) : slots_(threads) {}

  Own own(std::size_t thread) { return &slots_[thread]; }
  static void add(Own own) {
    own->value.store(own->value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::uint64_t sum() {
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.value;
    return sum;
  }

 private:
  std::vector<Slot> slots_;
};

}  // namespace threadping::lock

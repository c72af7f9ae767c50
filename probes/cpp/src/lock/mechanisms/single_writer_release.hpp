#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lock/mechanism.hpp"

namespace threadping::lock {

/// Each thread counts on a line of its own, which it alone writes (the Single Writer Principle, Mechanical Sympathy,
/// 2011); who wants the sum adds them up. The release store publishes the count to a reader; on x86 it is an ordinary
/// store.
class SingleWriterRelease {
 public:
  static constexpr MechanismInfo kInfo{
      .name = "single-writer-release",
      .summary = "Each thread adds to a counter of its own, on a line of its own; a reader sums them up.",
      .cpu_cost = "Nothing is shared, so it scales with the CPUs; the sum is the reader's work.",
      .blocking = false,
      .timed = kIncrement,
      .lines = kLines,
      .params = kParams,
  };
  static constexpr bool kExact = true;
  struct alignas(platform::kLinePair) Slot {
    std::atomic<std::uint64_t> value = 0;
  };
  using Own = Slot*;

  explicit SingleWriterRelease(std::size_t threads) : slots_(threads) {}

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

#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"
#include "lock/mechanisms/own_counters.hpp"

namespace threadping::lock {

/// A counter on a line of its own.
struct alignas(platform::kLinePair) PaddedSlot {
  std::atomic<std::uint64_t> value = 0;
};

/// Each thread counts on a line of its own, which it alone writes (the Single Writer Principle, Mechanical Sympathy,
/// 2011).
class SingleWriterRelease : public OwnCounters<PaddedSlot> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr MechanismInfo kInfo{
      .name = "single-writer-release",
      .summary = "Each thread adds to a counter of its own, on a line of its own; a reader sums them up.",
      .cpu_cost = "Nothing is shared, so it scales with the CPUs; the sum is the reader's work.",
      .blocking = false,
      .timed = kIncrement,
      .lines = kLines,
      .params = kParams,
  };
};

}  // namespace threadping::lock

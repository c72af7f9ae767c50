#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"
#include "lock/mechanisms/own_counters.hpp"

namespace threadping::lock {

/// A counter beside its neighbours.
struct BareSlot {
  std::atomic<std::uint64_t> value = 0;
};

/// As single-writer-release, but the counters stand side by side: eight threads share a line of 64 bytes although none
/// reads what another writes.
class FalseSharing : public OwnCounters<BareSlot> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr MechanismInfo kInfo{
      .name = "false-sharing",
      .summary = "Each thread adds to a counter of its own, side by side with the others' in one line.",
      .cpu_cost = "The line travels although nothing is shared: pad what different threads write.",
      .blocking = false,
      .timed = kIncrement,
      .lines = kLines,
      .params = kParams,
  };
};

}  // namespace threadping::lock

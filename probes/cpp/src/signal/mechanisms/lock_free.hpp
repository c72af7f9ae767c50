#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "params.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/between.hpp"

namespace threadping::signal {

inline constexpr std::array<std::string_view, 4> kWaits{"spin", "pause", "yield", "backoff"};

/// What every lock-free mechanism lets a request choose.
inline constexpr std::array<ParamInfo, 3> kLockFreeParams{{
    {
        .name = "wait",
        .summary =
            "What a side does between two looks: nothing, PAUSEs, yield its CPU, or all of these and then sleep.",
        .choices = kWaits,
    },
    {
        .name = "pauses",
        .summary = "How many PAUSEs it makes between two looks.",
        .number = 1,
        .least = 1,
        .most = 10'000,
        .only_with = {.param = "wait", .value = "pause"},
    },
    kBetweenParam,
}};

/// A lock-free mechanism: a protocol, and what a side does while it finds nothing new.
template <class Protocol, class Wait>
struct LockFree {
  static constexpr MechanismInfo kInfo{
      .name = Protocol::kName,
      .summary = Protocol::kSummary,
      .cpu_cost = Protocol::kCpuCost,
      .blocking = false,
      .timed = kTimed,
      .lines = 256,
      .params = kLockFreeParams,
  };
  using Cell = Protocol::Cell;

  Wait wait;

  explicit LockFree(const Params& params) : wait(params) {}

  template <Side S>
  std::uint64_t turn(Cell& cell, std::uint64_t expected) const {
    return Protocol::template turn<S>(cell, expected, wait);
  }
  static void stop(Cell& cell) { Protocol::stop(cell); }
  static std::uint64_t peek(Cell& cell) { return Protocol::peek(cell); }
};

}  // namespace threadping::signal

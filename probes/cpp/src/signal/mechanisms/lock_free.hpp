#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "signal/mechanism.hpp"
#include "waits/waits.hpp"

namespace threadping::signal {

/// What every lock-free mechanism lets a request choose.
inline constexpr std::array<engine::ParamInfo, 3> kLockFreeParams{waits::kWait, waits::kPauses, kBetweenParam};

/// A lock-free mechanism: a protocol, and what a side does while it finds nothing new.
template <class Protocol, class Wait>
struct LockFree {
  static constexpr std::string_view kName = Protocol::kName;
  using Cell = Protocol::Cell;

  Wait wait;

  explicit LockFree(const engine::Params& params) : wait(params) {}

  template <Side S>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    return Protocol::template await<S>(cell, expected, wait);
  }
  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    Protocol::template tell<S>(cell, expected);
  }
  static void stop(Cell& cell) { Protocol::stop(cell); }
  static std::uint64_t hand_overs(Cell& cell) { return Protocol::hand_overs(cell); }
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>

#include "crew/params.hpp"
#include "platform/futex.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/between.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// The bare futex, which every lock, condition and parked thread of Linux is made of. A side sleeps at a bell of its
/// own; the other stores its counter, rings and makes the system call that wakes, whether anybody sleeps or not.
///
/// The write that must be seen is the counter. A side reads the bell before it looks, and the kernel puts it to sleep
/// only if the bell is still what it read: a counter stored in between has rung since, so no wake-up is lost.
struct Park {
  static constexpr std::string_view kName = "park";
  static constexpr std::span<const crew::ParamInfo> kParams = kBetweenAlone;

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    std::atomic<std::uint32_t> ping_bell{0};  ///< Where pong sleeps until ping has told.
    alignas(128) std::atomic<std::uint64_t> pong{0};
    std::atomic<std::uint32_t> pong_bell{0};
  };

  platform::Sharing sharing;

  explicit Park(const crew::Params& params) : sharing(sharing_of(params)) {}

  template <Side S>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    auto& bell = S == Side::ping ? cell.pong_bell : cell.ping_bell;
    std::uint32_t rung = bell.load(std::memory_order_acquire);
    std::uint64_t seen = 0;
    while ((seen = theirs_of<S>(cell).load(std::memory_order_acquire)) < wanted) {
      platform::futex_wait(bell, rung, sharing);
      rung = bell.load(std::memory_order_acquire);
    }
    if (seen != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  void tell(Cell& cell, std::uint64_t expected) const {
    own_of<S>(cell).store(TwoCounters<S>::own(expected) + 1, std::memory_order_release);
    ring(S == Side::ping ? cell.ping_bell : cell.pong_bell);
  }

  void stop(Cell& cell) const {
    poison_counters(cell);
    ring(cell.ping_bell);
    ring(cell.pong_bell);
  }
  static std::uint64_t hand_overs(const Cell& cell) { return sum_of_counters(cell); }

 private:
  void ring(std::atomic<std::uint32_t>& bell) const {
    bell.fetch_add(1, std::memory_order_release);
    platform::futex_wake(bell, sharing);
  }
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "mechanisms/signals/bell.hpp"
#include "platform/futex.hpp"

namespace threadping::signals {

/// The bare futex, of which every lock, condition and parked thread of Linux is made: each ring is a system call.
struct Futex : WithBell<Futex, std::uint32_t> {
  static constexpr std::string_view kName = "futex";
  static constexpr bool kBetweenProcesses = true;

  platform::Sharing sharing;

  explicit Futex(const engine::Params& params) : sharing(sharing_of(params)) {}

  void sleep(Bell& bell, std::uint32_t rung) const { platform::futex_wait(bell, rung, sharing); }
  void ring(Bell& bell) const {
    bell.fetch_add(1, std::memory_order_release);
    platform::futex_wake(bell, sharing);
  }
};

}  // namespace threadping::signals

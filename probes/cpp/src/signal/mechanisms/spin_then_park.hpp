#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/params.hpp"
#include "platform/futex.hpp"
#include "platform/pause.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

inline constexpr std::array<engine::ParamInfo, 2> kSpinThenParkParams{
    {{.name = "spins", .number = 1000, .most = 1'000'000'000}, kBetweenParam}};

/// Spins for a while, then says that it sleeps and does; the other side makes the waking system call only for a side
/// that has said so.
///
/// The write that must be seen is the counter. The waiter stores `asleep` and then looks once more; the teller stores
/// its counter and then reads `asleep`. Both in sequentially consistent order, so that at least one sees the other's
/// store: the waiter does not sleep, or the teller wakes it.
struct SpinThenPark {
  static constexpr std::string_view kName = "spin-then-park";

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    alignas(128) std::atomic<std::uint64_t> pong{0};
    alignas(128) std::atomic<std::uint32_t> ping_asleep{0};
    alignas(128) std::atomic<std::uint32_t> pong_asleep{0};
  };

  std::int64_t spins;
  platform::Sharing sharing;

  explicit SpinThenPark(const engine::Params& params) : spins(params.number("spins")), sharing(sharing_of(params)) {}

  template <Side S>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    const std::uint64_t seen = look(theirs_of<S>(cell), wanted, S == Side::ping ? cell.ping_asleep : cell.pong_asleep);
    if (seen != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  void tell(Cell& cell, std::uint64_t expected) const {
    own_of<S>(cell).store(TwoCounters<S>::own(expected) + 1, std::memory_order_seq_cst);
    wake(S == Side::ping ? cell.pong_asleep : cell.ping_asleep);
  }

  void stop(Cell& cell) const {
    poison_counters(cell);
    wake(cell.ping_asleep);
    wake(cell.pong_asleep);
  }
  static std::uint64_t hand_overs(const Cell& cell) { return sum_of_counters(cell); }

 private:
  std::uint64_t look(const std::atomic<std::uint64_t>& theirs, std::uint64_t wanted,
                     std::atomic<std::uint32_t>& asleep) const {
    for (std::int64_t left = spins; left > 0; --left) {
      const std::uint64_t seen = theirs.load(std::memory_order_acquire);
      if (seen >= wanted) return seen;
      platform::pause();
    }
    while (true) {
      asleep.store(1, std::memory_order_seq_cst);
      const std::uint64_t seen = theirs.load(std::memory_order_seq_cst);
      if (seen >= wanted) {
        asleep.store(0, std::memory_order_relaxed);
        return seen;
      }
      platform::futex_wait(asleep, 1, sharing);
    }
  }

  void wake(std::atomic<std::uint32_t>& asleep) const {
    if (asleep.load(std::memory_order_seq_cst) == 0) return;
    asleep.store(0, std::memory_order_release);
    platform::futex_wake(asleep, sharing);
  }
};

}  // namespace threadping::signal

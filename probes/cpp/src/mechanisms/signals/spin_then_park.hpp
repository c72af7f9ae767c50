#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "mechanisms/signal.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::signals {

/// Spins for a while, then says that it sleeps and does; the publisher makes the waking system call only for an awaiter
/// that has said so.
///
/// The write that must be seen is the number. The awaiter stores `asleep` and then looks once more; the publisher
/// stores the number and then reads `asleep`. Both in sequentially consistent order, so that at least one sees the
/// other's store: the awaiter does not sleep, or the publisher wakes it.
struct SpinThenPark {
  static constexpr std::string_view kName = "spin-then-park";
  static constexpr bool kBetweenProcesses = true;
  static constexpr std::array<engine::ParamInfo, 1> kParams{{{.name = "spins", .number = 1000, .most = 1'000'000'000}}};

  struct Cell {
    alignas(platform::kLinePair) std::atomic<std::uint64_t> published{0};
    alignas(platform::kLinePair) std::atomic<std::uint32_t> asleep{0};
  };

  std::int64_t spins;
  platform::Sharing sharing;

  explicit SpinThenPark(const engine::Params& params) : spins(params.number("spins")), sharing(sharing_of(params)) {}

  void publish(Cell& cell, std::uint64_t n) const {
    cell.published.store(n, std::memory_order_seq_cst);
    if (cell.asleep.load(std::memory_order_seq_cst) == 0) return;
    cell.asleep.store(0, std::memory_order_release);
    platform::futex_wake(cell.asleep, sharing);
  }

  std::uint64_t await(Cell& cell, std::uint64_t n) const {
    for (std::int64_t left = spins; left > 0; --left) {
      const std::uint64_t seen = cell.published.load(std::memory_order_acquire);
      if (seen >= n) return seen;
      platform::pause();
    }
    while (true) {
      cell.asleep.store(1, std::memory_order_seq_cst);
      const std::uint64_t seen = cell.published.load(std::memory_order_seq_cst);
      if (seen >= n) {
        cell.asleep.store(0, std::memory_order_relaxed);
        return seen;
      }
      platform::futex_wait(cell.asleep, 1, sharing);
    }
  }

  void stop(Cell& cell) const { publish(cell, kStopped); }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }
};

}  // namespace threadping::signals

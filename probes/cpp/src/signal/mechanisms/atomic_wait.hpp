#pragma once

#include <atomic>
#include <cstdint>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// C++20's atomic wait and notify_one: the standard library's futex, which in libstdc++ spins and yields for a while
/// before it sleeps, and whose notify_one makes no system call when nobody waits.
///
/// The write that must be seen is the counter; the bell only wakes. It is an int because libstdc++ waits for one
/// directly, and for anything wider through a table of proxies that all atomics share. A side reads the bell before it
/// looks, and sleeps only while the bell is what it read.
struct AtomicWait {
  static constexpr std::string_view kName = "atomic-wait";

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    std::atomic<int> ping_bell{0};  ///< Where pong sleeps until ping has told.
    alignas(128) std::atomic<std::uint64_t> pong{0};
    std::atomic<int> pong_bell{0};
  };

  template <Side S>
  static Awaited await(Cell& cell, std::uint64_t expected) {
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    const auto& bell = S == Side::ping ? cell.pong_bell : cell.ping_bell;
    int rung = bell.load(std::memory_order_acquire);
    std::uint64_t seen = 0;
    while ((seen = theirs_of<S>(cell).load(std::memory_order_acquire)) < wanted) {
      bell.wait(rung, std::memory_order_acquire);
      rung = bell.load(std::memory_order_acquire);
    }
    if (seen != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    own_of<S>(cell).store(TwoCounters<S>::own(expected) + 1, std::memory_order_release);
    ring(S == Side::ping ? cell.ping_bell : cell.pong_bell);
  }

  static void stop(Cell& cell) {
    poison_counters(cell);
    ring(cell.ping_bell);
    ring(cell.pong_bell);
  }
  static std::uint64_t hand_overs(const Cell& cell) { return sum_of_counters(cell); }

 private:
  static void ring(std::atomic<int>& bell) {
    bell.fetch_add(1, std::memory_order_seq_cst);
    bell.notify_one();
  }
};

}  // namespace threadping::signal

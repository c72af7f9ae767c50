#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "platform/futex.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// A counter for each side and a bell beside it, at which the other side sleeps. A side stores its counter and rings,
/// whether anybody sleeps or not. How one sleeps and rings is the mechanism's: sleep(bell, rung) and ring(bell).
///
/// The write that must be seen is the counter; the bell only wakes. A side reads the bell before it looks, and sleeps
/// only while the bell is what it read: a counter stored in between has rung since, so no wake-up is lost.
template <class Mechanism, class Word>
struct Bells {
  using Bell = std::atomic<Word>;

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    Bell ping_bell{0};  ///< Where pong sleeps until ping has told.
    alignas(128) std::atomic<std::uint64_t> pong{0};
    Bell pong_bell{0};
  };

  template <Side S>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    Bell& bell = S == Side::ping ? cell.pong_bell : cell.ping_bell;  // NOLINT(misc-const-correctness): futexes are not
    Word rung = bell.load(std::memory_order_acquire);
    std::uint64_t seen = 0;
    while ((seen = theirs_of<S>(cell).load(std::memory_order_acquire)) < wanted) {
      mechanism().sleep(bell, rung);
      rung = bell.load(std::memory_order_acquire);
    }
    if (seen != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  void tell(Cell& cell, std::uint64_t expected) const {
    own_of<S>(cell).store(TwoCounters<S>::own(expected) + 1, std::memory_order_release);
    mechanism().ring(S == Side::ping ? cell.ping_bell : cell.pong_bell);
  }

  void stop(Cell& cell) const {
    poison_counters(cell);
    mechanism().ring(cell.ping_bell);
    mechanism().ring(cell.pong_bell);
  }
  static std::uint64_t hand_overs(const Cell& cell) { return sum_of_counters(cell); }

 private:
  friend Mechanism;
  Bells() = default;
  [[nodiscard]] const Mechanism& mechanism() const { return static_cast<const Mechanism&>(*this); }
};

/// The bare futex, which every lock, condition and parked thread of Linux is made of: each ring is a system call.
struct Park : Bells<Park, std::uint32_t> {
  static constexpr std::string_view kName = "park";

  platform::Sharing sharing;

  explicit Park(const engine::Params& params) : sharing(sharing_of(params)) {}

  void sleep(Bell& bell, std::uint32_t rung) const { platform::futex_wait(bell, rung, sharing); }
  void ring(Bell& bell) const {
    bell.fetch_add(1, std::memory_order_release);
    platform::futex_wake(bell, sharing);
  }
};

/// C++20's atomic wait and notify_one: the standard library's futex, which in libstdc++ spins and yields for a while
/// before it sleeps, and whose notify_one makes no system call when nobody waits. An int, because libstdc++ waits for
/// one directly, and for anything wider through a table of proxies that all atomics share.
struct AtomicWait : Bells<AtomicWait, int> {
  static constexpr std::string_view kName = "atomic-wait";

  static void sleep(const Bell& bell, int rung) { bell.wait(rung, std::memory_order_acquire); }
  static void ring(Bell& bell) {
    bell.fetch_add(1, std::memory_order_seq_cst);
    bell.notify_one();
  }
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "notify/mechanism.hpp"
#include "platform/futex.hpp"

namespace threadping::notify {

/// What is told, and a bell beside it at which the waiter sleeps. How one sleeps and rings is the mechanism's:
/// sleep(bell, rung) and ring(bell).
///
/// The write that must be seen is what is told; the bell only wakes. The waiter reads the bell before it looks, and
/// sleeps only while the bell is what it read: what was told in between has rung since, so no wake-up is lost.
template <class Mechanism, class Word>
struct Bells {
  using Bell = std::atomic<Word>;

  struct alignas(128) Cell {
    Told told;
    Bell bell{0};
  };

  template <class Change>
  static void tell(Cell& cell, Change change) {
    change();
    Mechanism::ring(cell.bell);
  }

  template <class HasNews>
  static void await(Cell& cell, HasNews has_news) {
    Word rung = cell.bell.load(std::memory_order_acquire);
    while (!has_news()) {
      Mechanism::sleep(cell.bell, rung);
      rung = cell.bell.load(std::memory_order_acquire);
    }
  }

 private:
  friend Mechanism;
  Bells() = default;
};

/// The bare futex, of which every other way to sleep is made: each ring is a system call.
struct Futex : Bells<Futex, std::uint32_t> {
  static constexpr std::string_view kName = "futex";

  static void sleep(Bell& bell, std::uint32_t rung) { platform::futex_wait(bell, rung, platform::Sharing::threads); }
  static void ring(Bell& bell) {
    bell.fetch_add(1, std::memory_order_release);
    platform::futex_wake(bell, platform::Sharing::threads);
  }
};

/// C++20's atomic wait and notify_one: the standard library's futex, which in libstdc++ spins and yields for a while
/// before it sleeps, and whose notify_one makes no system call when nobody waits. An int, because libstdc++ waits for
/// one directly, and for anything wider through a table of proxies that all atomics share.
struct AtomicNotify : Bells<AtomicNotify, int> {
  static constexpr std::string_view kName = "atomic-notify";

  static void sleep(const Bell& bell, int rung) { bell.wait(rung, std::memory_order_acquire); }
  static void ring(Bell& bell) {
    bell.fetch_add(1, std::memory_order_seq_cst);
    bell.notify_one();
  }
};

}  // namespace threadping::notify

#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "engine/params.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/signal.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::signals {

/// The number, and a bell next to it at which the awaiter sleeps. Every publication rings, whether anybody sleeps or
/// not. How one sleeps and rings is the mechanism's: sleep(bell, rung) and ring(bell).
///
/// The write that must be seen is the number; the bell only wakes. The awaiter reads the bell before it polls the
/// number, and sleeps only while the bell is what it read: a number that was published in between has rung since, so no
/// wake-up is lost.
template <class Mechanism, class Word>
class WithBell {
 public:
  using Bell = std::atomic<Word>;

  struct Cell {
    std::atomic<std::uint64_t> published{0};
    Bell bell{0};
  };

  void publish(Cell& cell, std::uint64_t n) const {
    cell.published.store(n, std::memory_order_release);
    mechanism().ring(cell.bell);
  }

  std::uint64_t await(Cell& cell, std::uint64_t n) const {
    Word rung = cell.bell.load(std::memory_order_acquire);
    std::uint64_t seen = 0;
    while ((seen = cell.published.load(std::memory_order_acquire)) < n) {
      mechanism().sleep(cell.bell, rung);
      rung = cell.bell.load(std::memory_order_acquire);
    }
    return seen;
  }

  void stop(Cell& cell) const { publish(cell, kStopped); }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }

 private:
  friend Mechanism;
  WithBell() = default;
  [[nodiscard]] const Mechanism& mechanism() const { return static_cast<const Mechanism&>(*this); }
};

/// The bare futex: every lock, condition and parked thread of Linux is made of it: each ring is a system call.
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

/// A lock and a condition; a pair has one lock and two conditions, as the published locked signalling ("Locks &
/// Condition Variables - Latency Impact", 2011). The publisher takes the lock, stores the number and signals the
/// condition, while it still holds the lock or after it has released it; the awaiter waits at the condition.
///
/// The write that must be seen is the number; the lock orders it. Whether an awaiter sleeps or not is the scheduler's
/// choice: what is measured is mostly the wake-up of an idle CPU.
template <bool kNotifyUnderLock>
struct WithCondition {
  struct Cell {
    std::mutex own;
    std::mutex& mutex;
    std::condition_variable changed;
    std::atomic<std::uint64_t> published{0};  ///< Written under the lock; atomic for peek(), which takes no lock.

    Cell() : mutex(own) {}
    explicit Cell(SecondTo<Cell> second) : mutex(second.first.mutex) {}
  };

  /// The lock keeps what stop() has published from being overwritten.
  static void publish(Cell& cell, std::uint64_t n) {
    std::unique_lock lock(cell.mutex);  // NOLINT(misc-const-correctness): one of the two unlocks it
    if (peek(cell) >= kStopped) return;
    cell.published.store(n, std::memory_order_relaxed);
    if constexpr (!kNotifyUnderLock) lock.unlock();
    cell.changed.notify_one();
  }

  static std::uint64_t await(Cell& cell, std::uint64_t n) {
    std::unique_lock lock(cell.mutex);
    cell.changed.wait(lock, [&] { return peek(cell) >= n; });
    return peek(cell);
  }

  static void stop(Cell& cell) {
    const std::scoped_lock lock(cell.mutex);
    cell.published.store(kStopped, std::memory_order_relaxed);
    cell.changed.notify_all();
  }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }
};

/// As published: the woken thread finds the lock taken, and may sleep again.
struct Condition : WithCondition<true> {
  static constexpr std::string_view kName = "condition";
};

/// The article's hypothesis: an awaiter that is signalled when the lock is free need not sleep twice.
struct ConditionReleased : WithCondition<false> {
  static constexpr std::string_view kName = "condition-released";
};

/// C++20's atomic wait and notify_one: the standard library's futex, which in libstdc++ spins and yields for a while
/// before it sleeps, and whose notify_one makes no system call when nobody waits. An int, because libstdc++ waits for
/// one directly, and for anything wider through a table of proxies that all atomics share.
struct AtomicWait : WithBell<AtomicWait, int> {
  static constexpr std::string_view kName = "atomic-wait";

  static void sleep(const Bell& bell, int rung) { bell.wait(rung, std::memory_order_acquire); }
  static void ring(Bell& bell) {
    bell.fetch_add(1, std::memory_order_seq_cst);
    bell.notify_one();
  }
};

/// Spins for a while, then says that it sleeps and does; the publisher makes the waking system call only for an awaiter
/// that has said so.
///
/// The write that must be seen is the number. The awaiter stores `asleep` and then polls once more; the publisher
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

#pragma once

#include <atomic>
#include <cstdint>

#include "mechanisms/signal.hpp"

namespace threadping::signals {

/// The number, and a bell beside it at which the awaiter sleeps. Every publication rings, whether anybody sleeps or
/// not. How one sleeps and rings is the mechanism's: sleep(bell, rung) and ring(bell).
///
/// The write that must be seen is the number; the bell only wakes. The awaiter reads the bell before it looks at the
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

}  // namespace threadping::signals

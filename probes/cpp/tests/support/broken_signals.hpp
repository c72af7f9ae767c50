#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "mechanisms/signals/sleeping.hpp"

namespace threadping::tests {

/// Signals that are broken on purpose, from some number on. Stopping them works.
inline constexpr std::uint64_t kBroken = 40;

/// How a futex is broken.
enum class Fault {
  forgets_to_wake,  ///< It is never woken: the awaiter sleeps on.
  loses_a_number,   ///< It rings for every number, but has lost those from one on.
  doubles_a_number  ///< It publishes one number too many, each time.
};

struct BrokenFutex : signals::Futex {
  using Futex::Futex;
  static inline Fault fault = Fault::forgets_to_wake;

  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): it replaces the futex's own
  void publish(Cell& cell, std::uint64_t n) const {
    if (n < kBroken) return Futex::publish(cell, n);
    switch (fault) {
      case Fault::loses_a_number: return Futex::publish(cell, kBroken - 1);
      case Fault::doubles_a_number: return Futex::publish(cell, n + 1);
      case Fault::forgets_to_wake: break;
    }
    if (n == kBroken)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the awaiter has gone to sleep by now
    cell.published.store(n);
  }
};

}  // namespace threadping::tests

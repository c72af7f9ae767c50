#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "mechanisms/signals/counter.hpp"
#include "mechanisms/signals/sleeping.hpp"
#include "waits/waits.hpp"

namespace threadping::tests {

/// Signals that are broken on purpose, from some number on. Stopping them works.
inline constexpr std::uint64_t kBroken = 40;

// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method): each stands in for its futex's own
/// A futex that is never woken: the awaiter sleeps on.
struct ForgetsToWake : signals::Futex {
  using Futex::Futex;

  void publish(Cell& cell, std::uint64_t n) const {
    if (n < kBroken) return Futex::publish(cell, n);
    if (n == kBroken)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the awaiter has gone to sleep by now
    cell.published.store(n);
  }
};

/// A futex that rings for every number, but has lost those from one on.
struct LosesANumber : signals::Futex {
  using Futex::Futex;

  void publish(Cell& cell, std::uint64_t n) const { Futex::publish(cell, std::min(n, kBroken - 1)); }
};

/// A futex that publishes one number too many, each time.
struct DoublesANumber : signals::Futex {
  using Futex::Futex;

  void publish(Cell& cell, std::uint64_t n) const { Futex::publish(cell, n < kBroken ? n : n + 1); }
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)

}  // namespace threadping::tests

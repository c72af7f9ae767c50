#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/params.hpp"
#include "mechanisms/pair.hpp"
#include "platform/pause.hpp"

namespace threadping::self_test {

/// Nanoseconds by the kernel's raw clock, asked for by a system call: a clock of its own, which nothing that
/// substitutes for the usual one changes, and which nobody slews.
std::uint64_t raw_ns();

/// What `steps` steps take by themselves (ps), by the raw clock: one batch of 0.1 ms, in which
/// two readings are negligible.
std::uint64_t picoseconds_of(std::uint64_t steps);

/// How many steps take about so long; 0 for nothing. The same in all of a process: what they take is timed once.
std::uint64_t steps_of(std::uint64_t ns);

/// What is planted: steps between seeing and answering in each of pong's turns, and more of them in every n-th.
struct Delays {
  std::uint64_t steps = 0;
  std::uint64_t every = 0;  ///< 0 for none.
  std::uint64_t stall_steps = 0;

  explicit Delays(const engine::Params& params)
      : steps(steps_of(static_cast<std::uint64_t>(params.number("delay")))),
        every(static_cast<std::uint64_t>(params.number("stall-every"))),
        stall_steps(steps_of(static_cast<std::uint64_t>(params.number("stall")))) {}

  /// Of `turns` of ping's turns from `first` on, the number that wait for a turn of pong's that stalls. Ping's turn k
  /// waits for pong's k-th, and every `every`-th of pong's stalls; ping's first waits for nothing.
  [[nodiscard]] std::uint64_t stalls(std::uint64_t first, std::uint64_t turns) const {
    if (every == 0 || turns == 0) return 0;
    const std::uint64_t end = first + turns;
    return (end - 1) / every - (std::max<std::uint64_t>(first, 1) - 1) / every;
  }
};

/// A pair whose pong is late by what is planted. It is a pair of its own, so that the loops of P stay the code that
/// they are.
template <signals::Pair P>
class Planted {
 public:
  using Cell = P::Cell;

  explicit Planted(const engine::Params& params) : pair_(params), delays_(params) {}

  template <signals::Side kSide>
  signals::Awaited await(Cell& cell, std::uint64_t expected) const {
    return pair_.template await<kSide>(cell, expected);
  }

  template <signals::Side kSide>
  void publish(Cell& cell, std::uint64_t expected) const {
    if constexpr (kSide == signals::Side::pong) {
      steps_.take(delays_.steps);
      if (delays_.every > 0 && (expected / 2 + 1) % delays_.every == 0) steps_.take(delays_.stall_steps);
    }
    pair_.template publish<kSide>(cell, expected);
  }

  void stop(Cell& cell) const { pair_.stop(cell); }
  [[nodiscard]] std::uint64_t handoffs(const Cell& cell) const { return pair_.handoffs(cell); }

  [[nodiscard]] const Delays& delays() const { return delays_; }

 private:
  P pair_;
  Delays delays_;
  mutable platform::Steps steps_;
};

}  // namespace threadping::self_test

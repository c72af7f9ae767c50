#pragma once

#include <cstdint>
#include <span>

#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

/// How far a loop came: the turns it completed, and the hand-overs that its last try saw. Fewer turns than asked for
/// mean that the cell was stopped (`seen` is at least kPoison) or that its sequence is broken.
struct Taken {
  std::uint64_t done;
  std::uint64_t seen;
};

/// One turn; gives the hand-overs that its wait saw.
template <Side S, SignalMechanism M>
[[gnu::always_inline]] inline std::uint64_t turn(const M& mechanism, typename M::Cell& cell, std::uint64_t expected) {
  const Awaited awaited = mechanism.template await<S>(cell, expected);
  if (!awaited.due) return awaited.seen;
  mechanism.template tell<S>(cell, expected);
  return expected;
}

/// Takes `count` turns of one side, from hand-over `first` on. The mechanism comes by value: read through a reference,
/// its parameters would be loaded again after every atomic access.
///
/// This is the timed loop of every block, of every lead-in and of all that pong does: one function for each mechanism
/// and side, never inlined, so that it can be found in the disassembly and is the same code wherever it is called, and
/// aligned, so that it is as quick whatever stands before it.
template <SignalMechanism M, Side S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Taken take_turns(M mechanism, typename M::Cell& cell,
                                                                      std::uint64_t first, std::uint64_t count) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < count; ++done, expected += 2) {
    const std::uint64_t seen = turn<S>(mechanism, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
  }
  return {.done = count, .seen = expected};
}

/// Takes as many of ping's turns as there are stamps and reads the clock after each. The stamps form a chain that
/// starts at the caller's reading before the first turn: no interval is hidden, and each holds one clock reading.
template <SignalMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Taken stamp_turns(M mechanism, typename M::Cell& cell,
                                                                       std::uint64_t first,
                                                                       std::span<std::uint64_t> stamps) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < stamps.size(); ++done, expected += 2) {
    const std::uint64_t seen = turn<Side::ping>(mechanism, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
    stamps[done] = platform::now_ns();
  }
  return {.done = stamps.size(), .seen = expected};
}

}  // namespace threadping::signal

#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "engine/params.hpp"
#include "mechanisms/signal.hpp"
#include "platform/lines.hpp"

namespace threadping::signals {

/// The two ends of a pair. Ping starts and keeps the time; pong echoes.
enum class Side { ping, pong };

/// What a wait came to: whether the side's turn has come, and the handoffs that it saw.
struct Awaited {
  bool due;
  std::uint64_t seen;
};

/// Two threads that take turns. The handoffs of a cell are numbered from 0: ping takes turns 0, 2, 4, ...; pong takes
/// 1, 3, 5, .... A turn is a wait and a publication, which can be timed or paced alone. await() returns when `expected`
/// handoffs have happened: due, with that number, or not, with something larger, when the cell was stopped (at least
/// kStopped) or the sequence is broken. When it is due, publish() makes it one more. Where the write that ends the wait
/// publishes as well (a swap), publish() has nothing left to do.
///
/// stop() may be called by any thread at any time, again and again; handoffs() likewise, and changes with every
/// handoff. When both sides have ended it is their number, or at least kStopped if the cell was stopped.
template <class P>
concept Pair = requires(const P pair, P::Cell& cell, std::uint64_t expected) {
  { pair.template await<Side::ping>(cell, expected) } -> std::same_as<Awaited>;
  { pair.template await<Side::pong>(cell, expected) } -> std::same_as<Awaited>;
  { pair.template publish<Side::ping>(cell, expected) } -> std::same_as<void>;
  { pair.template publish<Side::pong>(cell, expected) } -> std::same_as<void>;
  { pair.stop(cell) } -> std::same_as<void>;
  { pair.handoffs(std::as_const(cell)) } -> std::same_as<std::uint64_t>;
};

/// Asks for a cell that is the second of a pair, where it has something in common with the first: a lock, a connection.
template <class Cell>
struct SecondTo {
  Cell& first;
};

template <class Cell>
Cell cell_beside(Cell& first, platform::Sharing sharing) {
  if constexpr (std::constructible_from<Cell, SecondTo<Cell>>)
    return Cell(SecondTo<Cell>{first});
  else
    return cell_for<Cell>(sharing);
}

/// Where the two cells of a pair are: next to each other, as the published programs have their counters, or apart.
template <class One>
struct alignas(platform::kLinePair) OneLine {
  One ping;
  One pong;
  explicit OneLine(platform::Sharing sharing) : ping(cell_for<One>(sharing)), pong(cell_beside(ping, sharing)) {}
};
template <class One>
struct TwoLines {
  alignas(platform::kLinePair) One ping;
  alignas(platform::kLinePair) One pong;
  explicit TwoLines(platform::Sharing sharing) : ping(cell_for<One>(sharing)), pong(cell_beside(ping, sharing)) {}
};

/// A pair of two signals: each side publishes one of them and awaits the other. The side that takes turn `expected`
/// has published expected / 2 before, and so has the other side, plus one if pong asks.
///
/// The check of the sequence is the comparison that ends the wait; nothing else is added to the protocol, above all no
/// look at what this side has published itself: after a locked add that costs more than the add
/// (docs/internals/loops.md). A number that somebody else published too is noticed by the other side.
template <Signal S, template <class> class Layout = TwoLines>
class TwoSignals {
 public:
  using Cell = Layout<typename S::Cell>;

  explicit TwoSignals(const engine::Params& params) : signal_(made_with<S>(params)) {}

  template <Side kSide>
  Awaited await(Cell& cell, std::uint64_t expected) const {
    const std::uint64_t wanted = (expected + (kSide == Side::pong ? 1 : 0)) / 2;
    const std::uint64_t seen = signal_.await(kSide == Side::ping ? cell.pong : cell.ping, wanted);
    if (seen != wanted) return {.due = false, .seen = 2 * seen - (kSide == Side::pong ? 1 : 0)};
    return {.due = true, .seen = expected};
  }

  template <Side kSide>
  void publish(Cell& cell, std::uint64_t expected) const {
    signal_.publish(kSide == Side::ping ? cell.ping : cell.pong, expected / 2 + 1);
  }

  void stop(Cell& cell) const {
    signal_.stop(cell.ping);
    signal_.stop(cell.pong);
  }
  [[nodiscard]] std::uint64_t handoffs(const Cell& cell) const {
    return signal_.peek(cell.ping) + signal_.peek(cell.pong);
  }

 private:
  S signal_;
};

}  // namespace threadping::signals

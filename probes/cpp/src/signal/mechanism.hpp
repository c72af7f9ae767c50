#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "mechanism_info.hpp"

namespace threadping::signal {

/// What is timed one by one.
inline constexpr std::string_view kTimed = "round trip";

/// The two ends of a signal. Ping starts and keeps the time; pong echoes.
enum class Side { ping, pong };

/// Stored by the watchdog into whatever a side waits on. No count reaches it, and every wait ends at a value that is
/// not below the wanted one, so the hot loop needs no stop flag of its own.
inline constexpr std::uint64_t kPoison = std::uint64_t{1} << 62;

/// A way for one thread to tell another that it is its turn. A mechanism is a small value: it holds its parameters, and
/// is copied into the timed loop so that they stand in registers there. What the two sides share is its Cell.
///
/// The hand-overs of a cell are numbered from 0. Ping takes turns 0, 2, 4, ...; pong takes 1, 3, 5, .... A turn waits
/// until `expected` hand-overs have happened and then makes it one more. It returns the hand-overs that it saw:
/// `expected`, or something larger when the cell was stopped (at least kPoison) or the sequence is broken.
///
/// stop() may be called by any thread at any time, again and again; peek() likewise, and returns something that
/// changes with every hand-over.
template <class M>
concept SignalMechanism = requires(const M mechanism, M::Cell& cell, std::uint64_t expected) {
  { M::kInfo } -> std::convertible_to<const MechanismInfo&>;
  { mechanism.template turn<Side::ping>(cell, expected) } -> std::same_as<std::uint64_t>;
  { mechanism.template turn<Side::pong>(cell, expected) } -> std::same_as<std::uint64_t>;
  { mechanism.stop(cell) } -> std::same_as<void>;
  { mechanism.peek(cell) } -> std::same_as<std::uint64_t>;
};

}  // namespace threadping::signal

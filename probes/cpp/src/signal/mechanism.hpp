#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "platform/memory.hpp"

namespace threadping::signal {

/// The two ends of a signal. Ping starts and keeps the time; pong echoes.
enum class Side { ping, pong };

/// Stored by the watchdog into whatever a side waits on. No count reaches it, and every wait ends at a value that is
/// not below the wanted one, so the hot loop needs no stop flag of its own.
inline constexpr std::uint64_t kPoison = std::uint64_t{1} << 62;

/// What a wait came to: whether the side's turn has come, and the hand-overs that it saw.
struct Awaited {
  bool due;
  std::uint64_t seen;
};

/// A way for one thread to tell another that it is its turn. A mechanism is a small value: it holds its parameters, and
/// is copied into the timed loop so that they stand in registers there. What the two sides share is its Cell.
///
/// The hand-overs of a cell are numbered from 0. Ping takes turns 0, 2, 4, ...; pong takes 1, 3, 5, .... A turn is a
/// wait and a telling, which can be timed, paced or paired alone. await() returns when `expected` hand-overs have
/// happened: due, with that number, or not, with something larger, when the cell was stopped (at least kPoison) or the
/// sequence is broken. When it is due, tell() makes it one more. Where the write that ends the wait tells as well (a
/// swap), tell() has nothing left to do.
///
/// stop() may be called by any thread at any time, again and again; hand_overs() likewise, and changes with every
/// hand-over. When both sides have ended it is their number, or at least kPoison if the cell was stopped.
template <class M>
concept SignalMechanism = requires(const M mechanism, M::Cell& cell, std::uint64_t expected) {
  { M::kName } -> std::convertible_to<std::string_view>;
  { mechanism.template await<Side::ping>(cell, expected) } -> std::same_as<Awaited>;
  { mechanism.template await<Side::pong>(cell, expected) } -> std::same_as<Awaited>;
  { mechanism.template tell<Side::ping>(cell, expected) } -> std::same_as<void>;
  { mechanism.template tell<Side::pong>(cell, expected) } -> std::same_as<void>;
  { mechanism.stop(cell) } -> std::same_as<void>;
  { mechanism.hand_overs(cell) } -> std::same_as<std::uint64_t>;
};

inline constexpr std::array<std::string_view, 2> kBetween{"threads", "processes"};

/// Whether pong is a thread or a process.
inline constexpr engine::ParamInfo kBetweenParam{.name = "between", .choices = kBetween};

/// Of a mechanism that has this parameter alone.
inline constexpr std::array<engine::ParamInfo, 1> kBetweenAlone{kBetweenParam};

/// Who shares the cells of a mechanism with these parameters; threads where it does not ask.
inline platform::Sharing sharing_of(const engine::Params& params) {
  return params.has("between") && params.text("between") == kBetween[1] ? platform::Sharing::processes
                                                                        : platform::Sharing::threads;
}

}  // namespace threadping::signal

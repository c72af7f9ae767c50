#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

namespace threadping {

/// The value of another parameter without which a parameter may not be given.
struct OnlyWith {
  std::string_view param;
  std::string_view value;
};

// GCC warns of a field that a designated initializer leaves out, unless it has an initializer of its own.
// NOLINTBEGIN(readability-redundant-member-init)

/// A parameter of a mechanism: a text if it has choices, a whole number otherwise.
struct ParamInfo {
  std::string_view name;
  std::string_view summary;                        ///< One sentence.
  std::span<const std::string_view> choices = {};  ///< What a text may be; the first is the default.
  std::int64_t number = 0;                         ///< A number's default,
  std::int64_t least = 0;                          ///< its least
  std::int64_t most = 0;                           ///< and its most.
  OnlyWith only_with = {};                         ///< Empty where it may always be given.
};

/// What `probe describe` says of a mechanism.
struct MechanismInfo {
  std::string_view name;
  std::string_view summary;                ///< One sentence: what it does.
  std::string_view cpu_cost;               ///< One sentence: what it costs the CPU, and when to choose it.
  bool blocking;                           ///< Whether a waiting thread sleeps in the kernel.
  std::uint32_t lines;                     ///< How many lines it is measured over unless the request says otherwise.
  std::span<const ParamInfo> params = {};  ///< What a request may set.
};

// NOLINTEND(readability-redundant-member-init)

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

}  // namespace threadping

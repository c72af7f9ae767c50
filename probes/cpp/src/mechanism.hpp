#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace threadping {

/// What `probe describe` says of a mechanism.
struct MechanismInfo {
  std::string_view name;
  std::string_view summary;   ///< One sentence: what it does.
  std::string_view cpu_cost;  ///< One sentence: what it costs the CPU, and when to choose it.
  bool blocking;              ///< Whether a waiting thread sleeps in the kernel.
  std::uint32_t lines;        ///< How many lines it is measured over unless the request says otherwise.
};

/// The two ends of a signal. Ping starts and keeps the time; pong echoes.
enum class Side { ping, pong };

/// Stored by the watchdog into whatever a side waits on. No count reaches it, and every wait ends at a value that is
/// not below the wanted one, so the hot loop needs no stop flag of its own.
inline constexpr std::uint64_t kPoison = std::uint64_t{1} << 62;

/// A way for one thread to tell another that it is its turn.
///
/// The hand-overs of a cell are numbered from 0. Ping takes turns 0, 2, 4, ...; pong takes 1, 3, 5, .... A turn waits
/// until `expected` hand-overs have happened and then makes it one more. It returns the hand-overs that it saw:
/// `expected`, or something larger when the cell was stopped (at least kPoison) or the sequence is broken.
///
/// stop() may be called by any thread at any time, again and again; peek() likewise, and returns something that
/// changes with every hand-over.
template <class M>
concept SignalMechanism = requires(M::Cell& cell, std::uint64_t expected) {
  { M::kInfo } -> std::convertible_to<const MechanismInfo&>;
  { M::template turn<Side::ping>(cell, expected) } -> std::same_as<std::uint64_t>;
  { M::template turn<Side::pong>(cell, expected) } -> std::same_as<std::uint64_t>;
  { M::stop(cell) } -> std::same_as<void>;
  { M::peek(cell) } -> std::same_as<std::uint64_t>;
} && std::default_initializable<typename M::Cell>;

}  // namespace threadping

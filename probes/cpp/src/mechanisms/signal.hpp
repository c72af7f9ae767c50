#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/params.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// What stop() publishes. No count reaches it, and every wait ends at a number that is not below the wanted one, so
/// that a hot loop needs no stop flag of its own.
inline constexpr std::uint64_t kStopped = std::uint64_t{1} << 62;

/// A signal: a number that only grows, by which one thread notifies another. One thread publishes 1, 2, 3, ...,
/// each once and in this order; one thread awaits. 0 is published from the start.
///
/// A mechanism is a small value: it holds its parameters, and is copied into the timed loop so that they are in
/// registers there. What the two threads share is its Cell.
///
/// - publish(n): makes n what is published, and wakes the thread that awaits it. It never waits for the awaiter,
///   however many numbers were not awaited.
/// - await(n): waits until n is published and returns what is: n or something larger, at least kStopped if the cell was
///   stopped. n is larger than all that await() has returned before. What was written before publish(n) is seen after
///   it, except where the mechanism says that it orders nothing.
/// - stop(): ends every wait, now and later. Any thread calls it, again and again until both threads have ended: a
///   publisher that is just storing its number may overwrite it.
/// - peek(): what is published, or at least kStopped. Any thread calls it, at any time; it neither waits nor orders.
template <class S>
concept Signal = requires(const S signal, S::Cell& cell, std::uint64_t n) {
  { S::kName } -> std::convertible_to<std::string_view>;  // the same in every language
  { signal.publish(cell, n) } -> std::same_as<void>;
  { signal.await(cell, n) } -> std::same_as<std::uint64_t>;
  { signal.stop(cell) } -> std::same_as<void>;
  { signal.peek(std::as_const(cell)) } -> std::same_as<std::uint64_t>;
};

/// A mechanism of these parameters; of none where it takes none.
template <class M>
M made_with(const engine::Params& params) {
  if constexpr (std::constructible_from<M, const engine::Params&>)
    return M(params);
  else
    return M();
}

/// A cell for threads, or for processes too where its constructor takes a Sharing.
template <class Cell>
Cell cell_for(platform::Sharing sharing) {
  if constexpr (std::constructible_from<Cell, platform::Sharing>)
    return Cell(sharing);
  else
    return Cell();
}

inline constexpr std::array<std::string_view, 2> kBetween{"threads", "processes"};

/// Whether the other thread is one of this process, or of a process of its own.
inline constexpr engine::ParamInfo kBetweenParam{.name = "between", .choices = kBetween};

/// What shares the cells of a mechanism with these parameters: threads, unless a request says otherwise.
inline platform::Sharing sharing_of(const engine::Params& params) {
  return params.has("between") && params.text("between") == kBetween[1] ? platform::Sharing::processes
                                                                        : platform::Sharing::threads;
}

}  // namespace threadping::signals

#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace threadping::notify {

/// What a notifier tells its waiter. Only the notifier writes it, but for `stopped`.
struct Told {
  std::atomic<std::uint64_t> calls{0};     ///< How often it has called.
  std::atomic<std::uint64_t> first{0};     ///< The number of the first timed call that the waiter had not taken,
  std::atomic<std::uint64_t> first_ns{0};  ///< and when that began.
  std::atomic<std::uint64_t> closed{0};    ///< How often it has left, so that no call comes until it is ordered again.
  std::atomic<bool> stopped{false};        ///< By the watchdog: nobody waits any more.
};

/// Stand for any change, and for any question whether there is news.
inline constexpr auto kChange = [] {};
inline constexpr auto kHasNews = [] { return true; };

/// A way for one thread to call another that sleeps. What the two share is the mechanism's Cell, which holds what is
/// told.
///
/// tell() makes a change of what is told, and wakes the waiter if it sleeps. await() returns when `has_news` holds, and
/// sleeps until then. It is called again only after all that it returned for was taken; so where each tell() leaves
/// something to be consumed, news that nobody has taken still has it.
///
/// tell() is called by the notifier, and by any thread that stops the cell, again and again.
template <class M>
concept NotifyMechanism = requires(M::Cell& cell) {
  { M::kName } -> std::convertible_to<std::string_view>;
  { cell.told } -> std::same_as<Told&>;
  { M::tell(cell, kChange) } -> std::same_as<void>;
  { M::await(cell, kHasNews) } -> std::same_as<void>;
};

}  // namespace threadping::notify

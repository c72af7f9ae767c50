#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "mechanisms/pair.hpp"
#include "mechanisms/signal.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// The number, and tokens beside it, which are given with each number and for which the awaiter waits: give() and
/// take(), which takes at least one. Where no more can be held, giving one more changes nothing.
///
/// The write that must be seen is the number, stored before its token is given. The awaiter always takes a token before
/// it looks, so that it does not wake for nothing later. It cannot take in vain either: whoever took the token of n has
/// seen n, and so await() has returned at least n; while it has not, the token is there, or about to be given. 0 has a
/// token too.
template <class Tokens>
struct WithTokens {
  struct Cell {
    std::atomic<std::uint64_t> published{0};
    Tokens tokens;

    explicit Cell(platform::Sharing sharing) : tokens(sharing) { tokens.give(); }
    explicit Cell(SecondTo<Cell> second)
      requires std::constructible_from<Tokens, SecondTo<Tokens>>
        : tokens(SecondTo<Tokens>{second.first.tokens}) {
      tokens.give();
    }
  };

  static void publish(Cell& cell, std::uint64_t n) {
    cell.published.store(n, std::memory_order_release);
    cell.tokens.give();
  }

  /// A stopped cell has tokens for those who wait now, but not for all who come later.
  static std::uint64_t await(Cell& cell, std::uint64_t n) {
    std::uint64_t seen = cell.published.load(std::memory_order_acquire);
    if (seen >= kStopped) return seen;
    do {
      cell.tokens.take();
    } while ((seen = cell.published.load(std::memory_order_acquire)) < n);
    return seen;
  }

  static void stop(Cell& cell) { publish(cell, kStopped); }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }
};

}  // namespace threadping::signals

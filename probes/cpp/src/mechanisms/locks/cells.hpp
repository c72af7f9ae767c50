#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/samples.hpp"
#include "mechanisms/lock.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::locks {

/// What a thread knows of how often a lock, or the line of a counter, came to it from another thread.
struct Handoffs {
  std::uint64_t mark;         ///< Shows the thread that it was there last.
  std::uint64_t changes = 0;  ///< How often it was not.
};

/// A lock, and the counter that it protects on a line of its own: threads that look at the lock leave the counter's
/// line to its holder.
template <Lock L>
class Guarded {
 public:
  static constexpr bool kExact = true;
  static constexpr bool kCountsHands = true;
  static constexpr std::size_t kSeatBytes = L::kSeatBytes;
  using Own = L::Own;

  explicit Guarded(Seats seats) : lock_(made_with<L>(seats)) {}

  Own own(std::size_t thread) { return lock_.own(thread); }

  /// A mark that no other thread has.
  static Handoffs hands(std::size_t thread) { return {.mark = thread + 1}; }

  /// One operation. Where it is asked to, counts whether another thread held the lock last: the holder's mark is
  /// next to the counter, which is in its hands anyway.
  template <bool kCounts, class Work>
  void perform(Own own, Handoffs& hands, Work critical) {
    lock_.acquire(own);
    critical();
    ++counter_;
    if constexpr (kCounts) note(hands);
    lock_.release(own);
  }

  /// Like perform(); gives the time from wanting the lock to holding it, one clock reading included.
  template <class Work>
  engine::Timing perform_timed(Own own, Handoffs& hands, Work critical) {
    engine::Timing wait{.from_ns = platform::now_ns(), .to_ns = 0};
    lock_.acquire(own);
    wait.to_ns = platform::now_ns();
    critical();
    ++counter_;
    note(hands);
    lock_.release(own);
    return wait;
  }

  [[nodiscard]] std::uint64_t sum() const { return counter_; }

 private:
  void note(Handoffs& hands) {
    if (last_ == hands.mark) return;
    last_ = hands.mark;
    ++hands.changes;
  }

  alignas(platform::kLinePair) L lock_;
  alignas(platform::kLinePair) std::uint64_t counter_ = 0;
  std::uint64_t last_ = 0;  ///< The latest holder, in sampling windows.
};

/// A counter without a lock around it.
template <UnlockedCounter C>
class Unguarded {
 public:
  static constexpr bool kExact = C::kExact;
  static constexpr bool kCountsHands = C::kFetches;
  static constexpr std::size_t kSeatBytes = C::kSeatBytes;
  using Own = C::Own;

  explicit Unguarded(Seats seats) : counter_(made_with<C>(seats)) {}

  Own own(std::size_t thread) { return counter_.own(thread); }

  /// What it last left in the counter.
  static Handoffs hands(std::size_t /*thread*/) { return {.mark = 0}; }

  /// One operation. Where it is asked to, counts whether another thread has added since this one did, as far as the
  /// counter fetches.
  template <bool kCounts, class Work>
  void perform(Own own, Handoffs& hands, Work critical) {
    critical();
    add<kCounts>(own, hands);
  }

  /// Gives the time of the increment, one clock reading included.
  template <class Work>
  engine::Timing perform_timed(Own own, Handoffs& hands, Work critical) {
    critical();
    engine::Timing increment{.from_ns = platform::now_ns(), .to_ns = 0};
    add<true>(own, hands);
    increment.to_ns = platform::now_ns();
    return increment;
  }

  [[nodiscard]] std::uint64_t sum() { return counter_.sum(); }

 private:
  template <bool kCounts>
  [[gnu::always_inline]] void add(Own own, Handoffs& hands) {
    if constexpr (kCounts && kCountsHands) {
      const std::uint64_t before = counter_.fetch(own);
      hands.changes += before == hands.mark ? 0 : 1;
      hands.mark = before + 1;
    } else {
      counter_.add(own);
    }
  }

  alignas(platform::kLinePair) C counter_;
};

}  // namespace threadping::locks

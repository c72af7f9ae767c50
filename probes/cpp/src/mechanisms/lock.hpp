#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

#include "engine/experiment.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::lock {

/// The room behind a cell in which each of its threads has a seat, from a line pair's start on.
struct Seats {
  std::byte* first;
  std::size_t count;

  /// Makes what each thread has there, side by side: their size and alignment decide what shares a line.
  template <class Seat>
  [[nodiscard]] std::span<Seat> take() const {
    for (std::size_t thread = 0; thread < count; ++thread) new (first + thread * sizeof(Seat)) Seat;
    return {std::launder(reinterpret_cast<Seat*>(first)), count};
  }
};

/// What has something for each thread is made with the seats for it, of kSeatBytes each.
template <class M>
concept Made = std::constructible_from<M, Seats> || std::default_initializable<M>;

template <Made M>
M made_with(Seats seats) {
  if constexpr (std::constructible_from<M, Seats>)
    return M(seats);
  else
    return M();
}

/// A lock. A thread brings its Own to it, a handle that is made before a loop and stands in a register there. acquire()
/// returns when the lock is the thread's alone, and sees all that was written before the last release().
template <class L>
concept Lock = Made<L> && requires(L lock, L::Own own, std::size_t thread) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::kBlocking } -> std::convertible_to<bool>;
  { L::kSeatBytes } -> std::convertible_to<std::size_t>;
  { lock.own(thread) } -> std::same_as<typename L::Own>;
  { lock.acquire(own) } -> std::same_as<void>;
  { lock.release(own) } -> std::same_as<void>;
};

/// A counter that needs no lock, or does without. kExact says whether it promises to lose no increment; sum() is asked
/// when all threads have ended.
template <class C>
concept Counter = Made<C> && requires(C counter, C::Own own, std::size_t thread) {
  { C::kName } -> std::convertible_to<std::string_view>;
  { C::kBlocking } -> std::convertible_to<bool>;
  { C::kSeatBytes } -> std::convertible_to<std::size_t>;
  { C::kExact } -> std::convertible_to<bool>;
  { counter.own(thread) } -> std::same_as<typename C::Own>;
  { counter.add(own) } -> std::same_as<void>;
  { counter.sum() } -> std::same_as<std::uint64_t>;
};

/// What every thread uses alike: it brings nothing of its own.
class UsedAlike {
 public:
  static constexpr std::size_t kSeatBytes = 0;
  struct Own {};
  static Own own(std::size_t /*thread*/) { return {}; }
};

/// A lock, and the counter that it protects on a line of its own: who looks at the lock does not take the counter from
/// its holder.
template <Lock L>
class Guarded {
 public:
  static constexpr bool kExact = true;
  static constexpr std::size_t kSeatBytes = L::kSeatBytes;
  using Own = L::Own;

  explicit Guarded(Seats seats) : lock_(made_with<L>(seats)) {}

  Own own(std::size_t thread) { return lock_.own(thread); }

  /// One operation.
  template <class Work>
  void perform(Own own, Work critical) {
    lock_.acquire(own);
    critical();
    ++counter_;
    lock_.release(own);
  }

  /// The same; gives the time from wanting the lock to holding it, one clock reading included.
  template <class Work>
  engine::Timing perform_timed(Own own, Work critical) {
    engine::Timing wait{.from_ns = platform::now_ns()};
    lock_.acquire(own);
    wait.to_ns = platform::now_ns();
    critical();
    ++counter_;
    lock_.release(own);
    return wait;
  }

  [[nodiscard]] std::uint64_t sum() const { return counter_; }

 private:
  alignas(platform::kLinePair) L lock_;
  alignas(platform::kLinePair) std::uint64_t counter_ = 0;
};

/// A counter without a lock around it.
template <Counter C>
class Unguarded {
 public:
  static constexpr bool kExact = C::kExact;
  static constexpr std::size_t kSeatBytes = C::kSeatBytes;
  using Own = C::Own;

  explicit Unguarded(Seats seats) : counter_(made_with<C>(seats)) {}

  Own own(std::size_t thread) { return counter_.own(thread); }

  template <class Work>
  void perform(Own own, Work critical) {
    critical();
    counter_.add(own);
  }

  /// Gives the time of the increment, one clock reading included.
  template <class Work>
  engine::Timing perform_timed(Own own, Work critical) {
    critical();
    engine::Timing increment{.from_ns = platform::now_ns()};
    counter_.add(own);
    increment.to_ns = platform::now_ns();
    return increment;
  }

  [[nodiscard]] std::uint64_t sum() { return counter_.sum(); }

 private:
  alignas(platform::kLinePair) C counter_;
};

}  // namespace threadping::lock

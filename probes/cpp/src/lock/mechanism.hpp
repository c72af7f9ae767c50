#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mechanism_info.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::lock {

/// What is timed one by one: of a lock, and where there is none.
inline constexpr std::string_view kWait = "wait for the lock";
inline constexpr std::string_view kIncrement = "increment";

inline constexpr std::uint32_t kLines = 8;

/// What every mechanism lets a request choose. A step is a multiplication and an addition that wait for the step
/// before.
inline constexpr std::int64_t kMostSteps = 1'000'000;
inline constexpr std::array<ParamInfo, 2> kParams{{
    {.name = "critical",
     .summary = "Steps of work before each increment; inside the lock where there is one.",
     .most = kMostSteps},
    {.name = "outside", .summary = "Steps of work between two operations of a thread.", .most = kMostSteps},
}};

/// A lock. A thread brings its Own to it, a handle that is made before a loop and stands in a register there. acquire()
/// returns when the lock is the thread's alone, and sees all that was written before the last release().
template <class L>
concept Lock = std::constructible_from<L, std::size_t> && requires(L lock, L::Own own, std::size_t thread) {
  { L::kInfo } -> std::convertible_to<const MechanismInfo&>;
  { lock.own(thread) } -> std::same_as<typename L::Own>;
  { lock.acquire(own) } -> std::same_as<void>;
  { lock.release(own) } -> std::same_as<void>;
};

/// A counter that needs no lock, or does without. kExact says whether it promises to lose no increment; sum() is asked
/// when all threads have ended.
template <class C>
concept Counter = std::constructible_from<C, std::size_t> && requires(C counter, C::Own own, std::size_t thread) {
  { C::kInfo } -> std::convertible_to<const MechanismInfo&>;
  { C::kExact } -> std::convertible_to<bool>;
  { counter.own(thread) } -> std::same_as<typename C::Own>;
  { counter.add(own) } -> std::same_as<void>;
  { counter.sum() } -> std::same_as<std::uint64_t>;
};

/// What every thread uses alike: it brings nothing of its own.
class UsedAlike {
 public:
  struct Own {};
  explicit UsedAlike(std::size_t /*threads*/) {}
  static Own own(std::size_t /*thread*/) { return {}; }
};

/// A lock, and the counter that it protects on a line of its own: who looks at the lock does not take the counter from
/// its holder.
template <Lock L>
class Guarded {
 public:
  static constexpr const MechanismInfo& kInfo = L::kInfo;
  static constexpr bool kExact = true;
  using Own = L::Own;

  explicit Guarded(std::size_t threads) : lock_(threads) {}

  Own own(std::size_t thread) { return lock_.own(thread); }

  /// One operation.
  template <class Work>
  void perform(Own own, Work critical) {
    lock_.acquire(own);
    critical();
    ++counter_;
    lock_.release(own);
  }

  /// The same; gives the nanoseconds from wanting the lock to holding it, one clock reading included.
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    const std::uint64_t start = platform::now_ns();
    lock_.acquire(own);
    const std::uint64_t wait = platform::now_ns() - start;
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
  static constexpr const MechanismInfo& kInfo = C::kInfo;
  static constexpr bool kExact = C::kExact;
  using Own = C::Own;

  explicit Unguarded(std::size_t threads) : counter_(threads) {}

  Own own(std::size_t thread) { return counter_.own(thread); }

  template <class Work>
  void perform(Own own, Work critical) {
    critical();
    counter_.add(own);
  }

  /// Gives the nanoseconds of the increment, one clock reading included.
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    critical();
    const std::uint64_t start = platform::now_ns();
    counter_.add(own);
    return platform::now_ns() - start;
  }

  [[nodiscard]] std::uint64_t sum() { return counter_.sum(); }

 private:
  alignas(platform::kLinePair) C counter_;
};

}  // namespace threadping::lock

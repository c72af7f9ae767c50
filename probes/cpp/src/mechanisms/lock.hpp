#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>

namespace threadping::locks {

/// The memory behind a cell in which each of its threads has a seat, from a line pair's start on.
struct Seats {
  std::byte* first;
  std::size_t count;
  std::size_t stride = 0;  ///< Bytes from one seat to the next, where a request says so.

  /// Makes what each thread has there, side by side: their size and alignment decide what shares a line.
  template <class Seat>
  [[nodiscard]] std::span<Seat> take() const {
    for (std::size_t thread = 0; thread < count; ++thread) new (first + thread * sizeof(Seat)) Seat;
    return {std::launder(reinterpret_cast<Seat*>(first)), count};
  }
};

/// What has something for each thread is made with the seats for it, of kSeatBytes each.
template <class M>
concept MadeWithSeats = std::constructible_from<M, Seats> || std::default_initializable<M>;

template <MadeWithSeats M>
M made_with(Seats seats) {
  if constexpr (std::constructible_from<M, Seats>)
    return M(seats);
  else
    return M();
}

/// A lock. A thread brings its Own to it, a handle that is made before a loop and is in a register there. acquire()
/// returns when the lock is the thread's alone, and sees all that was written before the last release().
template <class L>
concept Lock = MadeWithSeats<L> && requires(L lock, L::Own own, std::size_t thread) {
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::kBlocking } -> std::convertible_to<bool>;
  { L::kSeatBytes } -> std::convertible_to<std::size_t>;
  { lock.own(thread) } -> std::same_as<typename L::Own>;
  { lock.acquire(own) } -> std::same_as<void>;
  { lock.release(own) } -> std::same_as<void>;
};

/// A lock that lets readers in together. While read() runs what it is given no writer is inside, or it runs that again:
/// what was read last is whole, and sees all that was written before the last release().
template <class L>
concept SharedLock = Lock<L> && requires(L lock, L::Own own, void (*look)()) { lock.read(own, look); };

/// Runs `look` as readers do: together with others where the lock can be shared, alone where it cannot.
template <Lock L, class Look>
[[gnu::always_inline]] inline void read_under(L& lock, typename L::Own own, Look look) {
  if constexpr (SharedLock<L>) {
    lock.read(own, look);
  } else {
    lock.acquire(own);
    look();
    lock.release(own);
  }
}

/// A counter that needs no lock, or does without. Where it `kFetches`, fetch() adds likewise and gives what was
/// there before, by which a thread sees whether another came in between. kExact says whether its contract is to lose no
/// increment; sum() is asked when all threads have ended.
template <class C>
concept UnlockedCounter = MadeWithSeats<C> && requires(C counter, C::Own own, std::size_t thread) {
  { C::kName } -> std::convertible_to<std::string_view>;
  { C::kBlocking } -> std::convertible_to<bool>;
  { C::kSeatBytes } -> std::convertible_to<std::size_t>;
  { C::kExact } -> std::convertible_to<bool>;
  { counter.own(thread) } -> std::same_as<typename C::Own>;
  { counter.add(own) } -> std::same_as<void>;
  { C::kFetches } -> std::convertible_to<bool>;
  { counter.sum() } -> std::same_as<std::uint64_t>;
};

/// What every thread uses alike: it brings nothing of its own.
class UsedAlike {
 public:
  static constexpr std::size_t kSeatBytes = 0;
  struct Own {};
  static Own own(std::size_t /*thread*/) { return {}; }
};

}  // namespace threadping::locks

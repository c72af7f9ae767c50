#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/samples.hpp"
#include "mechanisms/lock.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::locks {

/// A lock, and two words that it protects on a line of their own. A writer counts up both, a reader compares them: it
/// sees a concurrent writer by words that differ. It reads them in the opposite order: in the same one it would follow
/// the writer through as long a work, and see both words old or both new. A writer counts on from the word that is
/// written last, so that two at a time lose an increment. Relaxed loads and stores, which are compiled as ordinary
/// ones, because a seqlock's reader may look while a writer writes.
template <Lock L>
class Pair {
 public:
  static constexpr std::size_t kSeatBytes = L::kSeatBytes;
  using Own = L::Own;

  explicit Pair(Seats seats) : lock_(made_with<L>(seats)) {}

  Own own(std::size_t thread) { return lock_.own(thread); }

  /// One write. The work is between the two words, where another thread would see them differ.
  template <class Work>
  [[gnu::always_inline]] void write(Own own, Work critical) {
    lock_.acquire(own);
    count_both(critical);
    lock_.release(own);
  }

  /// One read. Gives whether the words differed.
  template <class Work>
  [[gnu::always_inline]] bool read(Own own, Work critical) {
    bool torn = false;
    read_under(lock_, own, [&] { torn = differ(critical); });
    return torn;
  }

  /// Performs the same; `wait` becomes the time from wanting the lock to holding it, one clock reading included. Of a
  /// seqlock's reads: to the start of the look that was whole.
  template <class Work>
  [[gnu::always_inline]] void write_timed(Own own, Work critical, engine::Timing& wait) {
    wait.from_ns = platform::now_ns();
    lock_.acquire(own);
    wait.to_ns = platform::now_ns();
    count_both(critical);
    lock_.release(own);
  }

  template <class Work>
  [[gnu::always_inline]] bool read_timed(Own own, Work critical, engine::Timing& wait) {
    bool torn = false;
    wait.from_ns = platform::now_ns();
    read_under(lock_, own, [&] {
      wait.to_ns = platform::now_ns();
      torn = differ(critical);
    });
    return torn;
  }

  [[nodiscard]] std::uint64_t sum() const { return second_.load(std::memory_order_relaxed); }

 private:
  template <class Work>
  [[gnu::always_inline]] void count_both(Work critical) {
    const std::uint64_t next = second_.load(std::memory_order_relaxed) + 1;
    first_.store(next, std::memory_order_relaxed);
    critical();
    second_.store(next, std::memory_order_relaxed);
  }

  template <class Work>
  [[nodiscard, gnu::always_inline]] bool differ(Work critical) const {
    const std::uint64_t second = second_.load(std::memory_order_relaxed);
    critical();
    return second != first_.load(std::memory_order_relaxed);
  }

  alignas(platform::kLinePair) L lock_;
  alignas(platform::kLinePair) std::atomic<std::uint64_t> first_ = 0;
  std::atomic<std::uint64_t> second_ = 0;
};

}  // namespace threadping::locks

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "contract/result.hpp"
#include "platform/memory.hpp"

namespace threadping::engine {

/// Below this a value has a bucket of its own.
inline constexpr std::uint64_t kExactBelow = 4096;

/// Where a value is counted.
constexpr std::size_t bucket_of(std::uint64_t ns) {
  const auto octave =
      static_cast<std::size_t>(std::bit_width(ns | (kExactBelow - 1)) - std::bit_width(kExactBelow - 1));
  return octave * kExactBelow / 2 + (ns >> octave);
}

/// The least value that is counted there.
constexpr std::uint64_t least_of(std::size_t bucket) {
  if (bucket < kExactBelow) return bucket;
  const std::size_t octave = bucket / (kExactBelow / 2) - 1;
  return (bucket - octave * kExactBelow / 2) << octave;
}

/// The durations of one thread, or its numbers, of however long a trial, in a histogram of fixed size: HdrHistogram's
/// layout (https://github.com/HdrHistogram/HdrHistogram, "HdrHistogram internal layout") with 4,096 sub-buckets. Below
/// 4,096 ns a value has a counter of its own; above, every octave has 2,048, so that a value is at most 0.05% too
/// small. Its memory is taken when it is made, and what is exact is touched then; the rest is when it is first needed:
/// compared with durations of more than four microseconds a page fault is little.
class Histogram {
 public:
  /// An hour. What lasted longer is counted as censored.
  static constexpr std::uint64_t kLongest = 3'600'000'000'000;

  Histogram() : memory_(kCounters * sizeof(std::uint64_t), platform::Sharing::threads) {
    for (std::size_t value = 0; value < kExactBelow; ++value) counters()[value] = 0;
  }

  /// A duration; one that came out below 0, as the difference of two readings wraps around, is only counted.
  void record(std::uint64_t ns) {
    if (static_cast<std::int64_t>(ns) < 0) {
      ++negative_;
    } else if (ns <= kLongest) {
      const std::size_t bucket = bucket_of(ns);
      if (recorded_ == 0) median_ = bucket;
      if (bucket < median_) ++below_median_;
      ++counters()[bucket];
      ++recorded_;
    } else {
      ++censored_;
    }
  }

  /// How many were recorded.
  [[nodiscard]] std::uint64_t recorded() const { return recorded_; }

  /// The duration that half of them do not exceed, in nanoseconds; 0 where there are none. It is looked for from where
  /// it was last: from the first counter on there would be 140 KB to read for a median of 0.4 ms, by each of hundreds
  /// of threads in each window.
  [[nodiscard]] std::uint64_t median() {
    if (recorded_ == 0) return 0;
    const std::uint64_t half = (recorded_ + 1) / 2;
    while (below_median_ >= half) below_median_ -= counters()[--median_];
    while (below_median_ + counters()[median_] < half) below_median_ += counters()[median_++];
    return least_of(median_);
  }

  /// Touches all of its memory, so that recording causes no page fault.
  void touch() {
    constexpr std::size_t kInAPage = 4096 / sizeof(std::uint64_t);
    for (std::size_t bucket = kExactBelow; bucket < kCounters; bucket += kInAPage) counters()[bucket] = 0;
  }

  /// A duration that overlapped a window, but did not begin and end inside it.
  void censor() { ++censored_; }

  /// Adds what was recorded to `all`.
  void add_to(contract::Distribution& all) const {
    all.censored += censored_;
    all.negative += negative_;
    for (std::size_t bucket = 0; bucket < kCounters; ++bucket)
      if (const std::uint64_t count = counters()[bucket]; count > 0) all.counts[least_of(bucket)] += count;
  }

 private:
  static constexpr std::size_t kCounters = bucket_of(kLongest) + 1;

  [[nodiscard]] std::uint64_t* counters() const { return reinterpret_cast<std::uint64_t*>(memory_.start()); }

  platform::Memory memory_;
  std::size_t median_ = 0;          ///< The bucket of the median when it was last asked for,
  std::uint64_t below_median_ = 0;  ///< and how many are in those below.
  std::uint64_t recorded_ = 0;
  std::uint64_t censored_ = 0;
  std::uint64_t negative_ = 0;
};

}  // namespace threadping::engine

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "contract/request.hpp"

namespace threadping::engine {

/// How many operations of each thread a visit to a line takes, in this order.
struct Visit {
  /// Uncounted: brings the line and the others in. At least 1: an operation starts at another's.
  std::uint64_t lead_in;
  std::uint64_t throughput;  ///< Timed as a whole.
  std::uint64_t sampling;    ///< Timed one by one.
  bool whole = false;        ///< As in an Order.

  [[nodiscard]] std::uint64_t ops() const { return lead_in + throughput + sampling; }
};

/// A visit around a throughput window of `throughput` operations, with sampled ones in the proportion that the request
/// wants.
inline Visit visit_of(std::uint64_t throughput, const contract::WindowsRequest& windows) {
  const auto sampling =
      static_cast<double>(throughput) * static_cast<double>(windows.sampling) / static_cast<double>(windows.throughput);
  return {.lead_in = std::max<std::uint64_t>(1, throughput / 64),
          .throughput = throughput,
          .sampling = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sampling))};
}

/// The visit for a trial in which an operation of each thread takes `operation_ns`: with the largest throughput window
/// for which the measuring time suffices for as many visits to every line as the request wants (five: a line's median
/// then survives two disturbed ones) and twice as many in all. It is 1 for two spinning threads on one CPU, where an
/// operation takes a time slice.
inline Visit fitted_visit(const contract::Request& request, double operation_ns) {
  constexpr double kAround = 1.5;  // lead-in and sampled operations come on top
  const double ops = static_cast<double>(request.measure_ns) / std::max(operation_ns, 1.0);
  const double visits = static_cast<double>(request.windows.visits) * std::max<double>(request.lines, 2);
  const double throughput = std::clamp(ops / (visits * kAround), 1.0, static_cast<double>(request.windows.throughput));
  return visit_of(static_cast<std::uint64_t>(throughput), request.windows);
}

/// The visit that is to be made from now on where another one would fit: one that is nearly as long is the one that
/// will be measured.
inline Visit refitted(const Visit& now, const Visit& fitting) {
  constexpr std::uint64_t kNear = 4;
  const std::uint64_t difference =
      std::max(now.throughput, fitting.throughput) - std::min(now.throughput, fitting.throughput);
  return difference > now.throughput / kNear ? fitting : now;
}

/// What came of a visit: its windows, as far as they were completed.
struct Visited {
  std::uint64_t throughput_ns = 0;
  std::uint64_t throughput = 0;
  std::uint64_t sampling_ns = 0;
  std::uint64_t sampling = 0;

  [[nodiscard]] bool completed(const Visit& visit) const {
    return throughput == visit.throughput && sampling == visit.sampling;
  }
};

/// What an operation takes the thread that performs it, its wait included: `ops` of all threads in `ns`, while
/// `running` threads ran at once.
inline double ns_an_operation(std::uint64_t ns, std::uint64_t ops, std::size_t running) {
  return static_cast<double>(ns) * static_cast<double>(running) / static_cast<double>(std::max<std::uint64_t>(ops, 1));
}

inline constexpr std::uint64_t kLongestChunk = 4096;

/// The number of operations that take about as long as a chunk should: short compared with a window, long compared with
/// a poll of the orders. Grows eightfold at most, because a pace that was seen while threads were still arriving is not
/// theirs.
inline std::uint64_t next_chunk(double operation_ns, std::uint64_t chunk, std::uint64_t chunk_ns) {
  const auto wanted =
      static_cast<std::uint64_t>(std::max(static_cast<double>(chunk_ns) / std::max(operation_ns, 1.0), 1.0));
  return std::min({wanted, 8 * chunk, kLongestChunk});
}

inline constexpr double kSeldom = 1024;  ///< At least one operation in this number is timed.

/// One operation in how many is to be timed before anybody has seen how often the clock is read: the fewest operations,
/// a power of two, such that two readings take at most this share of their time.
inline std::uint32_t first_every(double operation_ns, double clock_ns, double share) {
  const double least = 2 * clock_ns / (share * std::max(operation_ns, 1.0));
  return std::bit_ceil(static_cast<std::uint32_t>(std::ceil(std::clamp(least, 1.0, kSeldom))));
}

/// The share of a thread's time that its readings of the clock took in a window; it ran for so much of it as there are
/// CPUs for the threads.
inline double clock_share(std::uint64_t readings, double clock_ns, std::uint64_t window_ns, double cpus_a_thread) {
  const double ran_ns = static_cast<double>(window_ns) * std::min(1.0, cpus_a_thread);
  return static_cast<double>(readings) * clock_ns / std::max(ran_ns, 1.0);
}

/// One operation in how many is to be timed after a window in which one in `every` was and the clock took `share` of
/// the thread that read it most. Four times as many or as few at most: a window may have been a disturbed one.
inline std::uint32_t next_every(std::uint32_t every, double share, double wanted_share) {
  constexpr double kStep = 4;
  const auto last = static_cast<double>(every);
  const double fitting = std::clamp(last * share / wanted_share, last / kStep, last * kStep);
  return std::bit_ceil(static_cast<std::uint32_t>(std::ceil(std::clamp(fitting, 1.0, kSeldom))));
}

/// Whether a pace has become steady: the logarithms of what an operation took in the throughput windows of the last two
/// equal stretches differ on average by no more than a share, or by no more than their own noise; nothing disturbed
/// them; and a managed runtime compiled in each for no more than that share of its time. It never quite stops
/// compiling: what is called once in a hundred windows comes late. A stretch has a minimum number of windows and a
/// minimum time: windows that are shorter than their part of it are added up.
class Steadiness {
 public:
  explicit Steadiness(std::size_t windows_a_stretch, double least_ns = 0)
      : stretch_(windows_a_stretch),
        least_ns_(least_ns / static_cast<double>(windows_a_stretch)),
        windows_(2 * windows_a_stretch) {}

  /// Windows of either kind took so much time; the throughput window that is added next is the last of them.
  /// `disturbed`: that of a window in which nothing was done, or in which a collector ran, is no pace.
  void during(std::uint64_t ns, bool disturbed) {
    next_.ns += static_cast<double>(ns);
    next_.disturbed |= disturbed;
  }

  /// So much was compiled since the last throughput window, or while the threads rested after it.
  void compiled(std::uint64_t ns) { next_.compile_ns += static_cast<double>(ns); }

  /// The next throughput window.
  void add(double ns_an_operation) {
    next_.log += std::log(std::max(ns_an_operation, 1e-3));
    ++next_.windows;
    if (next_.ns < least_ns_) return;
    next_.log /= next_.windows;
    windows_[added_++ % windows_.size()] = std::exchange(next_, {});
  }

  [[nodiscard]] bool reached(double share) const {
    if (added_ < windows_.size() || !quiet_from(added_, share) || !quiet_from(added_ + stretch_, share)) return false;
    if (next_.disturbed || next_.compile_ns > share * least_ns_ * static_cast<double>(stretch_)) return false;
    const Moments before = moments_from(added_);
    const Moments last = moments_from(added_ + stretch_);
    const double noise = std::sqrt((before.variance + last.variance) / static_cast<double>(stretch_));
    return std::abs(last.mean - before.mean) <= std::max(share, noise);
  }

 private:
  struct Window {
    double log = 0;
    double windows = 0;
    double ns = 0;
    double compile_ns = 0;
    bool disturbed = false;
  };
  struct Moments {
    double mean = 0;
    double variance = 0;
  };

  /// The window of this number, of the last two stretches.
  [[nodiscard]] const Window& at(std::size_t window) const { return windows_[window % windows_.size()]; }

  /// Whether nothing but the operations themselves decided the pace of the stretch that begins here.
  [[nodiscard]] bool quiet_from(std::size_t first, double share) const {
    Window sum;
    for (std::size_t window = first; window < first + stretch_; ++window) {
      sum.ns += at(window).ns;
      sum.compile_ns += at(window).compile_ns;
      sum.disturbed |= at(window).disturbed;
    }
    return !sum.disturbed && sum.compile_ns <= share * sum.ns;
  }

  /// The moments of the stretch that begins here.
  [[nodiscard]] Moments moments_from(std::size_t first) const {
    Moments moments;
    const auto count = static_cast<double>(stretch_);
    const auto log = [&](std::size_t window) { return at(first + window).log; };
    for (std::size_t window = 0; window < stretch_; ++window) moments.mean += log(window) / count;
    for (std::size_t window = 0; window < stretch_; ++window)
      moments.variance += (log(window) - moments.mean) * (log(window) - moments.mean) / (count - 1);
    return moments;
  }

  std::size_t stretch_;
  double least_ns_;              ///< Minimum length of a window that counts.
  std::vector<Window> windows_;  ///< The windows of the last two stretches, in a circle.
  Window next_;
  std::size_t added_ = 0;
};

}  // namespace threadping::engine

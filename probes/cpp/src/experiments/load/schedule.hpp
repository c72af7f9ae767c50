#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"

namespace threadping::load {

enum class Arrivals { constant, poisson, bursts, idle };
inline constexpr std::array<std::string_view, 4> kArrivals{"constant", "poisson", "bursts", "idle"};

inline Arrivals arrivals_of(const engine::Params& params) {
  return static_cast<Arrivals>(std::ranges::find(kArrivals, params.text("arrivals")) - kArrivals.begin());
}

/// How long a gap may be: drawn, or one of these, in ns. They are also where the parts of the gap axis begin.
inline constexpr std::array<std::string_view, 12> kGaps{"drawn", "10us", "30us", "100us", "300us", "1ms",
                                                        "3ms",   "10ms", "30ms", "100ms", "300ms", "1s"};
inline constexpr std::array<std::uint64_t, kGaps.size() - 1> kGapsNs{10'000,      30'000,      100'000,      300'000,
                                                                     1'000'000,   3'000'000,   10'000'000,   30'000'000,
                                                                     100'000'000, 300'000'000, 1'000'000'000};

inline constexpr double kShortestGap = 10e3;
inline constexpr double kLongestGap = 100e6;
inline const double kSpread = std::log(kLongestGap / kShortestGap);
inline const double kMeanGap = (kLongestGap - kShortestGap) / kSpread;

/// Due times, in nanoseconds from the schedule's start, as the parameters want and the seed draws them; the same in
/// every language.
class Schedule {
 public:
  Schedule(const engine::Params& params, std::uint64_t seed)
      : arrivals_(arrivals_of(params)),
        mean_gap_(1e9 / static_cast<double>(params.number("rate"))),
        burst_(static_cast<std::uint64_t>(params.number("burst"))),
        random_(seed) {
    if (arrivals_ != Arrivals::idle) return;
    const auto gap = std::ranges::find(kGaps, params.text("idle")) - kGaps.begin();
    if (gap > 0) arrivals_ = Arrivals::constant;
    mean_gap_ = gap > 0 ? static_cast<double>(kGapsNs.at(static_cast<std::size_t>(gap) - 1)) : kMeanGap;
  }

  /// How many messages are due on average in `ns` nanoseconds; at least 1.
  [[nodiscard]] std::uint64_t due_in(double ns) const {
    return static_cast<std::uint64_t>(std::max(ns / mean_gap_, 1.0));
  }

  /// When the next message is due. Gaps are added up unrounded, so that the rate is the one that was asked for.
  std::uint64_t next() {
    at_ += gap();
    ++number_;
    return static_cast<std::uint64_t>(at_);
  }

 private:
  double gap() {
    switch (arrivals_) {
      case Arrivals::constant: break;
      case Arrivals::poisson: return -std::log(1 - draw()) * mean_gap_;
      case Arrivals::bursts: return number_ % burst_ == 0 ? mean_gap_ * static_cast<double>(burst_) : 0;
      case Arrivals::idle: return kShortestGap * std::exp(draw() * kSpread);
    }
    return mean_gap_;
  }

  /// From [0, 1): SplitMix64 (Steele and others, "Fast splittable pseudorandom number generators", 2014), as Java's
  /// SplittableRandom has it.
  double draw() {
    std::uint64_t mixed = random_ += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    mixed ^= mixed >> 31;
    return static_cast<double>(mixed >> 11) * 0x1p-53;
  }

  Arrivals arrivals_;
  double mean_gap_;
  std::uint64_t burst_;
  std::uint64_t random_;
  double at_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace threadping::load

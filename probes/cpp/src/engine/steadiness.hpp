#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace threadping::engine {

/// Whether a pace has become steady: the logarithms of what an operation took in the throughput windows of the last two
/// equal stretches differ on average by no more than a share, or by no more than their own noise.
class Steadiness {
 public:
  explicit Steadiness(std::size_t windows_a_stretch) : stretch_(windows_a_stretch), logs_(2 * windows_a_stretch) {}

  /// The next throughput window.
  void add(double ns_an_operation) { logs_[added_++ % logs_.size()] = std::log(std::max(ns_an_operation, 1e-3)); }

  [[nodiscard]] bool reached(double share) const {
    if (added_ < logs_.size()) return false;
    const Moments before = moments_from(added_);
    const Moments last = moments_from(added_ + stretch_);
    const double noise = std::sqrt((before.variance + last.variance) / static_cast<double>(stretch_));
    return std::abs(last.mean - before.mean) <= std::max(share, noise);
  }

 private:
  struct Moments {
    double mean = 0;
    double variance = 0;
  };

  /// Of the stretch that begins here.
  [[nodiscard]] Moments moments_from(std::size_t first) const {
    Moments moments;
    const auto count = static_cast<double>(stretch_);
    const auto log = [&](std::size_t window) { return logs_[(first + window) % logs_.size()]; };
    for (std::size_t window = 0; window < stretch_; ++window) moments.mean += log(window) / count;
    for (std::size_t window = 0; window < stretch_; ++window)
      moments.variance += (log(window) - moments.mean) * (log(window) - moments.mean) / (count - 1);
    return moments;
  }

  std::size_t stretch_;
  std::vector<double> logs_;  ///< Of the last two stretches, in a circle.
  std::size_t added_ = 0;
};

}  // namespace threadping::engine

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace threadping::engine {

/// Whether a pace has become steady: the logarithms of what an operation took in the throughput windows of the last two
/// equal stretches differ on average by no more than a share, or by no more than their own noise.
class Steadiness {
 public:
  explicit Steadiness(std::size_t windows_a_stretch) : stretch_(windows_a_stretch) {}

  /// The next throughput window.
  void add(double ns_an_operation) { logs_.push_back(std::log(std::max(ns_an_operation, 1e-3))); }

  [[nodiscard]] bool reached(double share) const {
    if (logs_.size() < 2 * stretch_) return false;
    const Moments before = moments(std::span(logs_).last(2 * stretch_).first(stretch_));
    const Moments last = moments(std::span(logs_).last(stretch_));
    const double noise = std::sqrt((before.variance + last.variance) / static_cast<double>(stretch_));
    return std::abs(last.mean - before.mean) <= std::max(share, noise);
  }

 private:
  struct Moments {
    double mean = 0;
    double variance = 0;
  };

  static Moments moments(std::span<const double> values) {
    Moments moments;
    const auto count = static_cast<double>(values.size());
    for (const double value : values) moments.mean += value / count;
    for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean) / (count - 1);
    return moments;
  }

  std::size_t stretch_;
  std::vector<double> logs_;
};

}  // namespace threadping::engine

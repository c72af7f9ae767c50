#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/experiment.hpp"
#include "engine/recorder.hpp"
#include "contract/request.hpp"
#include "platform/evidence.hpp"

namespace threadping::engine {

/// From which duration on (ns) something is looked into, by what its thread has recorded so far. A median of fewer than
/// a hundred is none.
inline std::uint64_t least_outlier(const contract::OutliersRequest& wanted, const Recorder& recorder) {
  constexpr std::uint64_t kEnough = 100;
  if (recorder.recorded() < kEnough) return wanted.least_ns;
  const double far = wanted.factor * static_cast<double>(recorder.median());
  return std::max(wanted.least_ns, static_cast<std::uint64_t>(std::min(far, static_cast<double>(Recorder::kLongest))));
}

/// What took long, and what was seen around it.
struct Outlier {
  Timing timing;
  std::optional<platform::Seen> seen;
};

/// The longest of one thread, so many at most. Their memory is taken and touched when this is made.
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {
    kept_.resize(most);
    kept_.clear();
  }

  /// Whether one that takes so long would be kept.
  [[nodiscard]] bool wants(std::uint64_t ns) const { return kept_.size() < most_ || ns > kept_.front().timing.ns(); }

  /// Keeps it; where there is no room, instead of the shortest.
  void keep(const Outlier& outlier) {
    if (!wants(outlier.timing.ns())) return;
    if (kept_.size() == most_) {
      std::ranges::pop_heap(kept_, longer);
      kept_.pop_back();
    }
    kept_.push_back(outlier);
    std::ranges::push_heap(kept_, longer);
  }

  /// In no order.
  [[nodiscard]] std::span<const Outlier> all() const { return kept_; }

 private:
  static bool longer(const Outlier& one, const Outlier& other) { return one.timing.ns() > other.timing.ns(); }

  std::size_t most_;
  std::vector<Outlier> kept_;  ///< A heap whose first is the shortest.
};

}  // namespace threadping::engine

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "engine/histogram.hpp"
#include "engine/samples.hpp"
#include "platform/evidence.hpp"

namespace threadping::engine {

/// How often a thread may look: a token bucket with one token for each period that holds two. So whatever happens it
/// looks no more often than once a period, and twice.
class LookBudget {
 public:
  explicit LookBudget(std::uint64_t period_ns) : period_ns_(period_ns), credit_ns_(2 * period_ns) {}

  [[nodiscard]] std::uint64_t period_ns() const { return period_ns_; }

  /// Whether it may look so often now.
  [[nodiscard]] bool has(std::uint64_t looks, std::uint64_t now_ns) {
    credit_ns_ = std::min(2 * period_ns_, credit_ns_ + (now_ns - std::min(now_ns, at_ns_)));
    at_ns_ = std::max(at_ns_, now_ns);
    return credit_ns_ >= looks * period_ns_;
  }
  void spend() { credit_ns_ -= period_ns_; }

  /// The time from which on it is full.
  [[nodiscard]] std::uint64_t full_ns() const { return at_ns_ + 2 * period_ns_ - credit_ns_; }

 private:
  std::uint64_t period_ns_;
  std::uint64_t credit_ns_;
  std::uint64_t at_ns_ = 0;
};

/// From which duration on (ns) something is looked into, by how many its thread has recorded so far and their median.
/// The duration from which on an operation is an outlier; the median of fewer than 100 operations does not count.
inline std::uint64_t least_outlier(const contract::OutliersRequest& wanted, std::uint64_t recorded,
                                   std::uint64_t median_ns) {
  constexpr std::uint64_t kEnough = 100;
  if (recorded < kEnough) return wanted.least_ns;
  const double far = wanted.factor * static_cast<double>(median_ns);
  return std::max(wanted.least_ns, static_cast<std::uint64_t>(std::min(far, static_cast<double>(Histogram::kLongest))));
}

/// What took long, and what was seen around it.
struct Outlier {
  Timing timing;
  std::optional<platform::Seen> seen;

  [[nodiscard]] std::uint64_t ns() const { return timing.ns(); }
};

/// The longest outliers of one thread, up to a maximum number. Their memory is taken and touched when this is made.
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {
    kept_.resize(most);
    kept_.clear();
  }

  /// Whether one that takes so long would be kept.
  [[nodiscard]] bool wants(std::uint64_t ns) const { return kept_.size() < most_ || ns > kept_.front().ns(); }

  /// Keeps it; where the maximum is reached, instead of the shortest.
  void keep(const Outlier& outlier) {
    if (!wants(outlier.ns())) return;
    if (kept_.size() == most_) {
      std::ranges::pop_heap(kept_, std::ranges::greater{}, &Outlier::ns);
      kept_.pop_back();
    }
    kept_.push_back(outlier);
    std::ranges::push_heap(kept_, std::ranges::greater{}, &Outlier::ns);
  }

  void clear() { kept_.clear(); }

  /// In no order.
  [[nodiscard]] std::span<const Outlier> all() const { return kept_; }

 private:
  std::size_t most_;
  std::vector<Outlier> kept_;  ///< A heap whose first is the shortest.
};

/// Looks before and after what its thread times, and keeps what was seen around the longest. All looking together takes
/// at most 1% of the thread's time, and of the CPU that it shares with others.
class Looks {
 public:
  /// `onlooker`: null where the kernel does not know the thread: then all is kept without a look. `threads_a_cpu`:
  /// how many threads there are for each CPU, at least 1.
  Looks(const contract::OutliersRequest& wanted, std::unique_ptr<platform::Onlooker> onlooker, double threads_a_cpu);

  /// A sampling window begins, in which so much is an outlier as what was recorded says.
  void begin(Histogram& recorded) { least_ns_ = least_outlier(wanted_, recorded.recorded(), recorded.median()); }

  /// Ahead of what is timed: looks if the budget has a look for it and one for what may come of it.
  void before(std::uint64_t now_ns) {
    if (onlooker_ && budget_.has(2, now_ns)) look();
  }

  /// The time before which before() would not look.
  [[nodiscard]] std::uint64_t due_ns() const { return budget_.full_ns(); }

  /// Reports what was timed since then. Where the longest is an outlier that was seen to begin, looks if the budget has
  /// a look and the thread `may`; that look is also the one before what comes next. An outlier that was not looked into
  /// is kept all the same.
  void after(std::span<const Timing> timings, std::uint64_t now_ns, bool may);

  /// Forgets what was kept, and how often it has looked: a warm-up's.
  void forget();

  [[nodiscard]] std::uint64_t look_ns() const { return look_ns_; }
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  [[nodiscard]] const platform::Onlooker* onlooker() const { return onlooker_.get(); }
  [[nodiscard]] std::span<const Outlier> outliers() const { return longest_.all(); }

 private:
  [[nodiscard]] std::uint64_t measure_look();
  void look();
  [[nodiscard]] bool saw_begin(const Timing& timing) const;

  const contract::OutliersRequest wanted_;
  const std::unique_ptr<platform::Onlooker> onlooker_;
  Longest longest_;
  const std::uint64_t look_ns_;
  LookBudget budget_;
  std::uint64_t least_ns_ = UINT64_MAX;
  std::uint64_t looks_ = 0;
  platform::Look before_;
};

/// A thread that has looked, and the name of the distribution of what it times.
struct Looker {
  std::size_t thread = 0;
  std::string timed;
  const Looks* looks = nullptr;
};

/// What all of them kept and saw.
contract::Evidence evidence_of(std::span<const Looker> lookers);

}  // namespace threadping::engine

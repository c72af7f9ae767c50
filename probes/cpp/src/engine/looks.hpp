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

/// Draws stretches of a thread's time at random, in which it looks into its outliers: so those are a sample of all, by
/// chances that are known, and looks take a period each on average. A stretch takes one look at its begin and one for
/// each outlier, so it is the shorter the more of them there are.
class Draws {
 public:
  /// `share`: of the periods, in which a look may be taken on average; less than 1 of a thread that shares a CPU.
  Draws(std::uint64_t period_ns, double share, std::uint64_t seed)
      : period_ns_(period_ns), share_(share), state_(seed) {}

  /// Ahead of what is timed: whether a stretch of time begins here, since the last is over.
  bool next(std::uint64_t now_ns);

  /// How many outliers one that begins in this stretch represents: the inverse of the chance by which the stretch was
  /// drawn; 0: it was not.
  [[nodiscard]] double weight() const { return weight_; }

  /// The number of this stretch, and when it ends.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t end_ns() const { return end_ns_; }

  /// Counts the outliers in what was timed until now.
  void count(std::uint64_t outliers, std::uint64_t now_ns);

  /// Whether this stretch was drawn and has a look left: a burst may not take more than some periods.
  [[nodiscard]] bool may_look() const { return weight_ > 0 && looks_ < kMostLooks; }

  /// A look was taken, at the begin of a stretch or after an outlier. The stretch is the longer by it: of one that was
  /// drawn no less is timed.
  void looked(bool after, std::uint64_t ns);

  [[nodiscard]] std::uint64_t period_ns() const { return period_ns_; }

  /// A number from 0 to below 1.
  double random();

 private:
  static constexpr std::uint64_t kMostLooks = 9;
  static constexpr double kMostCredit = 8;  ///< In looks.
  static constexpr double kPerStretch = 2;  ///< How many outliers a stretch should have, where they are frequent.

  std::uint64_t period_ns_;
  double share_;
  std::uint64_t state_;
  double credit_ = 0;  ///< Looks that time has earned and nobody took.
  std::uint64_t at_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t looks_ = 0;  ///< In this stretch.
  double weight_ = 0;
  std::uint64_t counted_ns_ = 0;  ///< Until when what came is counted, in which stretch,
  std::uint64_t counted_ = 0;
  double outliers_ = 0;  ///< and what came so far: in this number of periods and stretches, with looks after outliers
  double periods_ = 1;   ///< in those that were drawn.
  double stretches_ = 1;
  double drawn_ = 1;
  double after_ = 0;
};

/// The duration from which on an operation is an outlier; the median of fewer than 100 operations does not count.
inline std::uint64_t least_outlier(const contract::OutliersRequest& wanted, std::uint64_t recorded,
                                   std::uint64_t median_ns) {
  constexpr std::uint64_t kEnough = 100;
  if (recorded < kEnough) return wanted.least_ns;
  const double far = wanted.factor * static_cast<double>(median_ns);
  return std::max(wanted.least_ns, static_cast<std::uint64_t>(std::min(far, static_cast<double>(Histogram::kLongest))));
}

/// What took long, and what was seen around it; the stretch of time in which it began, and how many outliers it
/// represents for (0: it is none of the sample).
struct Outlier {
  Timing timing;
  std::optional<platform::Seen> seen = std::nullopt;
  std::optional<std::uint64_t> draw = std::nullopt;
  double weight = 0;

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

/// A sample of the outliers of one thread: all that were drawn, or a random choice of them. Their memory is taken
/// and touched when this is made.
class Sample {
 public:
  explicit Sample(std::size_t most) : most_(most) {
    kept_.resize(most);
    kept_.clear();
  }

  /// Keeps it, or not; where it is full, instead of one of those that are kept (Vitter, ACM TOMS 11, 1985, algorithm
  /// R).
  void keep(const Outlier& outlier, Draws& draws) {
    ++came_;
    if (kept_.size() < most_) {
      kept_.push_back(outlier);
      return;
    }
    const auto place = static_cast<std::uint64_t>(draws.random() * static_cast<double>(came_));
    if (place < most_) kept_[place] = outlier;
  }

  void clear() {
    kept_.clear();
    came_ = 0;
  }

  /// How many of those that came each of those that are kept represents.
  [[nodiscard]] double each_for() const {
    return kept_.empty() ? 1 : static_cast<double>(came_) / static_cast<double>(kept_.size());
  }
  [[nodiscard]] std::span<const Outlier> all() const { return kept_; }

 private:
  std::size_t most_;
  std::uint64_t came_ = 0;
  std::vector<Outlier> kept_;
};

/// Looks before and after what its thread times, and keeps what was seen around outliers: a random sample of them, and
/// the longest. All looking together takes 1% of the thread's time, and of the CPU that it shares with others.
class Looks {
 public:
  /// `onlooker`: null where the kernel does not know the thread: then all is kept without a look. `threads_a_cpu`:
  /// how many threads there are for each CPU, at least 1. `seed`: of what is drawn.
  Looks(const contract::OutliersRequest& wanted, std::unique_ptr<platform::Onlooker> onlooker, double threads_a_cpu,
        std::uint64_t seed);

  /// A sampling window begins, in which so much is an outlier as what was recorded says.
  void begin(Histogram& recorded) { least_ns_ = least_outlier(wanted_, recorded.recorded(), recorded.median()); }

  /// Ahead of what is timed: looks where a stretch of time begins that is drawn.
  void before(std::uint64_t now_ns) {
    if (onlooker_ && draws_.next(now_ns) && draws_.may_look() && !look(false)) look(false);
  }

  /// The time before which before() would not look.
  [[nodiscard]] std::uint64_t due_ns() const { return draws_.end_ns(); }

  /// Reports what was timed since then. Where the longest is an outlier of the sample that was seen to begin, looks if
  /// the thread `may`; that look is also the one before what comes next. What was seen is of the longest, and of those
  /// that overlap it. An outlier that was not looked into is kept all the same.
  void after(std::span<const Timing> timings, bool may);

  /// Forgets what was kept, and how often it has looked: a warm-up's.
  void forget();

  [[nodiscard]] std::uint64_t look_ns() const { return look_ns_; }
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  [[nodiscard]] const platform::Onlooker* onlooker() const { return onlooker_.get(); }

  /// The sample, and those of the longest that are not in it.
  [[nodiscard]] std::vector<Outlier> outliers() const;

 private:
  [[nodiscard]] std::uint64_t measure_look();
  bool look(bool after);
  [[nodiscard]] bool saw_begin(const Timing& timing) const;

  const contract::OutliersRequest wanted_;
  const std::unique_ptr<platform::Onlooker> onlooker_;
  Longest longest_;
  Sample sample_;
  const std::uint64_t look_ns_;
  Draws draws_;
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

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/histogram.hpp"
#include "engine/looks.hpp"
#include "engine/orders.hpp"
#include "engine/samples.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"

namespace threadping::engine {

/// What becomes of a worker's samples: those of the measuring phase that began and ended inside a window are recorded,
/// and looked into where they took long.
class Recorder final : public Samples {
 public:
  static constexpr std::size_t kCapacity = 1024;

  /// `ops`: where the thread's operations are counted. `gate`: of the windows; null where all counts that is taken in
  /// the measuring phase. `capacity`: the number of timings it holds. `numbers`: how many numbers its role has. Throws
  /// Failure(bad_request) for a larger capacity than there may be.
  Recorder(std::atomic<std::uint64_t>& ops, const Gate* gate, std::size_t capacity, std::size_t numbers);

  /// The measuring phase begins: what began before is recorded nowhere, and its looks are not counted.
  void measure(std::uint64_t now_ns) {
    measuring_from_ns_ = now_ns;
    if (looks_) looks_->forget();
  }

  /// It ends. What overlapped the last window is still counted.
  void measured() {
    if (gate_ == nullptr) measuring_from_ns_ = kNever;
  }

  /// From here on what takes long is looked into.
  void look_with(const contract::OutliersRequest& wanted, std::unique_ptr<platform::Onlooker> onlooker,
                 double threads_a_cpu, std::uint64_t seed) {
    looks_.emplace(wanted, std::move(onlooker), threads_a_cpu, seed);
  }

  /// A window begins, or will.
  void begin(bool sampling);

  /// A run begins.
  void begin_run() { ops_before_ = ops_->load(std::memory_order_relaxed); }

  /// Ahead of a run in which something is timed.
  void about_to_time() override;

  /// After a run: looks first, so that the look is close to what it looks at, and then records. In the midst of one
  /// nobody may look.
  void take(bool may_look = true);

  /// From when on about_to_time() may look; never where nobody does.
  [[nodiscard]] std::uint64_t due_ns() const {
    return looks_ && looks_->onlooker() != nullptr ? looks_->due_ns() : UINT64_MAX;
  }

  /// What was added since then.
  [[nodiscard]] std::span<Timing> added() const { return timings_.first(added_); }

  /// One more that was stopped.
  void censor() { durations_.censor(); }

  /// Touches all memory of the durations, so that recording causes no page fault.
  void touch() { durations_.touch(); }

  [[nodiscard]] const Histogram& durations() const { return durations_; }
  [[nodiscard]] const std::vector<Histogram>& numbers() const { return by_number_; }
  [[nodiscard]] const std::array<Tally, kMostTallies>& tallies() const { return all_tallies_; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }
  [[nodiscard]] const std::optional<Looks>& looks() const { return looks_; }

 private:
  void settle() override { take(false); }
  std::size_t sift();

  static constexpr std::uint64_t kNever = UINT64_MAX;
  [[nodiscard]] bool measuring() const { return measuring_from_ns_ != kNever; }

  const Gate* gate_;
  const platform::Claim claim_;
  std::vector<Timing> timing_buffer_;
  std::vector<Number> number_buffer_;
  Histogram durations_;
  std::vector<Histogram> by_number_;
  std::array<Tally, kMostTallies> all_tallies_{};
  std::optional<Looks> looks_;
  std::uint64_t measuring_from_ns_ = kNever;
};

}  // namespace threadping::engine

#pragma once

#include <cstdint>
#include <span>

#include "engine/outliers.hpp"
#include "engine/recorder.hpp"
#include "contract/request.hpp"
#include "platform/evidence.hpp"

namespace threadping::engine {

/// Looks before and after what its thread times, and keeps what it saw around the longest. Looking takes a hundredth of
/// the time at most, but for what is an outlier.
class Witness {
 public:
  /// Of the calling thread; `others` are the kernel's numbers of those whose run delay it is to look at.
  Witness(const contract::OutliersRequest& wanted, std::span<const int> others, bool with_trace_points);

  /// A timed window is about to begin, in which so much counts as an outlier as `recorder` says. Looks if the last look
  /// is old.
  void begin(const Recorder& recorder);

  /// Ahead of something that is timed, `reading` being a clock reading that is at hand: looks if the last look is old.
  void before(std::uint64_t reading) {
    if (reading >= fresh_until_ns_) renew();
  }

  /// Time has passed of which no reading at hand tells.
  void grow_old() { fresh_until_ns_ = 0; }

  /// These were timed since the last look and count; looks if one of them is an outlier.
  void after(std::span<const Timing> timings);

  [[nodiscard]] std::uint64_t look_ns() const { return look_ns_; }
  [[nodiscard]] const platform::Onlooker& onlooker() const { return onlooker_; }
  [[nodiscard]] std::span<const Outlier> outliers() const { return longest_.all(); }

 private:
  void renew() { set_out_from(onlooker_.look()); }
  void set_out_from(const platform::Look& look) {
    before_ = look;
    fresh_until_ns_ = look.at_ns + kFresh * look_ns_;
  }
  [[nodiscard]] std::uint64_t measure_look();
  void read_steal(std::uint64_t now_ns);
  [[nodiscard]] platform::Seen seen_until(const platform::Look& after);
  [[nodiscard]] bool is_outlier(const Timing& timing) const {
    return timing.ns() >= least_ns_ && longest_.wants(timing.ns());
  }

  /// A look may be so many times as old as it takes.
  static constexpr std::uint64_t kFresh = 100;

  const contract::OutliersRequest wanted_;
  platform::Onlooker onlooker_;
  Longest longest_;
  const std::uint64_t look_ns_;
  std::uint64_t least_ns_ = 0;
  std::uint64_t fresh_until_ns_ = 0;
  platform::Look before_;
  platform::Steal steal_;
  std::uint64_t steal_at_ns_ = 0;
};

}  // namespace threadping::engine

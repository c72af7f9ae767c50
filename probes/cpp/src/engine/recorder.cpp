#include "engine/recorder.hpp"

#include "platform/clock.hpp"

namespace threadping::engine {

Recorder::Recorder(std::atomic<std::uint64_t>& ops, const Gate* gate, std::size_t capacity, std::size_t numbers)
    : gate_(gate),
      claim_(capacity * sizeof(Timing), "the samples of a window",
             "shorten the sampling windows, or ask for fewer threads"),
      timing_buffer_(capacity),
      number_buffer_(numbers > 0 ? capacity : 0),
      by_number_(numbers) {
  ops_ = &ops;
  timings_ = timing_buffer_;
  numbers_ = number_buffer_;
}

void Recorder::begin(bool sampling) {
  sampling_ = sampling;
  if (sampling && looks_) looks_->begin(durations_);
}

void Recorder::about_to_time() {
  if (looks_ && sampling_ && !others_wait_) looks_->before(platform::now_ns());
}

/// What is timed counts if it began and ended inside one window; what only overlapped one is censored. Those that count
/// are then in front.
std::size_t Recorder::sift() {
  std::size_t inside = 0;
  for (const Timing& timing : added()) {
    const bool negative = timing.to_ns < timing.from_ns;
    const Timing forward{.from_ns = std::min(timing.from_ns, timing.to_ns),
                         .to_ns = std::max(timing.from_ns, timing.to_ns)};
    if (gate_ == nullptr ? !measuring() : forward.from_ns < measuring_from_ns_) continue;
    const Place place = gate_ == nullptr ? Place::inside : gate_->place_of(forward);
    if (place == Place::across) durations_.censor();
    if (place != Place::inside) continue;
    if (negative)
      durations_.record(timing.ns());
    else
      timings_[inside++] = timing;
  }
  return inside;
}

void Recorder::take(bool may_look) {
  if (added_ > 0) {
    const std::span<const Timing> counting = timings_.first(sift());
    if (looks_ && !counting.empty()) looks_->after(counting, may_look && !others_wait_);
    for (const Timing& timing : counting) durations_.record(timing.ns());
    added_ = 0;
  }
  const bool counts = sampling_ && measuring() && (gate_ == nullptr || gate_->is_open());
  if (counts) {
    for (const Number& number : numbers_.first(numbered_))
      if (number.index < by_number_.size()) by_number_[number.index].record(number.value);
    for (std::size_t index = 0; index < kMostTallies; ++index) {
      all_tallies_[index].made += tallies_[index].made;
      all_tallies_[index].found += tallies_[index].found;
    }
  }
  numbered_ = 0;
  tallies_ = {};
}

}  // namespace threadping::engine

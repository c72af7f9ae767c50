#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace threadping::engine {

/// When something began and when it ended, by the clock (platform::now_ns). Of two CPUs' clocks the end may be less.
struct Timing {
  std::uint64_t from_ns;
  std::uint64_t to_ns;

  [[nodiscard]] std::uint64_t ns() const { return to_ns - from_ns; }
};

/// A number of something that a role names, such as messages of a batch.
struct Number {
  std::size_t index;  ///< Among the role's `numbers`.
  std::uint64_t value;
};

/// A pair of counts that a role names, such as calls and those that found their waiter waiting.
struct Tally {
  std::uint64_t made = 0;
  std::uint64_t found = 0;
};

/// Where a thread's player leaves what it times. In the loop it is a store into an array that was taken beforehand;
/// what becomes of it, and whether it counts, is decided between two runs.
class Samples {
 public:
  static constexpr std::size_t kMostTallies = 2;

  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  virtual ~Samples() = default;

  /// A duration.
  void add(std::uint64_t from_ns, std::uint64_t to_ns) {
    if (added_ == timings_.size()) [[unlikely]]
      settle();
    timings_[added_++] = {.from_ns = from_ns, .to_ns = to_ns};
  }

  /// For a player that writes them in place: the free places, and how many of them were filled.
  [[nodiscard]] std::span<Timing> places() const { return timings_.subspan(added_); }
  void filled(std::size_t count) { added_ += count; }

  /// Like places(), for numbers.
  [[nodiscard]] std::span<Number> number_places() const { return numbers_.subspan(numbered_); }
  void numbered(std::size_t count) { numbered_ += sampling_ ? count : 0; }

  /// A number, which is recorded in sampling windows.
  void number(std::size_t index, std::uint64_t value) {
    if (!sampling_) return;
    if (numbered_ == numbers_.size()) [[unlikely]]
      settle();
    numbers_[numbered_++] = {.index = index, .value = value};
  }

  /// Adds to a pair of counts, which is of sampling windows.
  void tally(std::size_t index, std::uint64_t made, std::uint64_t found) {
    tallies_[index].made += made;
    tallies_[index].found += found;
  }

  /// Reports how many operations of this run are completed: for steps of many that take long compared with a window.
  void progress(std::uint64_t done) { ops_->store(ops_before_ + done, std::memory_order_relaxed); }

  /// Reports how many readings of the clock were made, whatever became of them: they decide how many operations are
  /// timed.
  void read_clock(std::uint64_t times) { readings_ += times; }

  /// Something is about to be timed, after a pause that no reading at hand shows: looks, if the budget has a look.
  virtual void about_to_time() = 0;

  /// Whether others queue behind this thread: then nobody looks into what took long, since all of them would wait.
  void others_wait(bool wait) { others_wait_ = wait; }

 protected:
  Samples() = default;

  std::atomic<std::uint64_t>* ops_ = nullptr;  ///< Where others see how many this thread has completed,
  std::uint64_t ops_before_ = 0;               ///< and how many it had before this run.
  std::span<Timing> timings_;
  std::span<Number> numbers_;
  std::size_t added_ = 0;
  std::size_t numbered_ = 0;
  std::array<Tally, kMostTallies> tallies_{};
  std::uint64_t readings_ = 0;
  bool others_wait_ = false;
  bool sampling_ = false;

 private:
  /// Takes what was added, so that there are free places.
  virtual void settle() = 0;
};

}  // namespace threadping::engine

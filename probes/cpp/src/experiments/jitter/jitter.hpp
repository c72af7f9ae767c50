#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>

#include "engine/stage.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::jitter {

/// The system's clock, which every experiment times with.
struct MonotonicClock {
  static constexpr std::string_view kName = "clock-monotonic";
  static std::uint64_t now_ns() { return platform::now_ns(); }
};

/// Reads the clock without a break, and keeps every two readings that are at least so far apart: the thread did not run
/// in between, or ran something else. What keeping them takes lies in no gap, since the clock is read anew after it.
/// Gives how many of the kept were less than the reading before them, as those of a clock that runs backwards.
template <class Clock>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t watch(std::uint64_t readings, std::uint64_t least_ns,
                                                                         engine::Samples& samples) {
  std::uint64_t backwards = 0;
  std::uint64_t last_ns = Clock::now_ns();
  for (; readings > 0; --readings) {
    const std::uint64_t now_ns = Clock::now_ns();
    if (now_ns - last_ns >= least_ns) [[unlikely]] {
      if (now_ns < last_ns) ++backwards;
      samples.add(last_ns, now_ns);
      last_ns = Clock::now_ns();
    } else {
      last_ns = now_ns;
    }
  }
  return backwards;
}

/// Keeps gaps in sampling windows. What its own program does at the ends of a window (another thread is woken there) is
/// across its edge, and so counts as censored; in throughput windows readings are counted, and nothing is kept.
template <class Clock>
class Reader final : public engine::Player {
 public:
  Reader(std::uint64_t least_ns, std::atomic<std::uint64_t>& backwards)
      : least_ns_(least_ns), all_backwards_(backwards) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    const std::uint64_t backwards = watch<Clock>(task.count, task.every > 0 ? least_ns_ : UINT64_MAX, samples);
    if (backwards > 0) all_backwards_.fetch_add(backwards, std::memory_order_relaxed);
    return task.count;
  }

 private:
  const std::uint64_t least_ns_;
  std::atomic<std::uint64_t>& all_backwards_;
};

/// Has no cells: every thread reads for itself.
template <class Clock>
class JitterStage final : public engine::Stage {
 public:
  explicit JitterStage(std::uint64_t least_ns) : least_ns_(least_ns) {}

  std::unique_ptr<engine::Player> player(std::size_t /*thread*/) override {
    return std::make_unique<Reader<Clock>>(least_ns_, backwards_);
  }
  [[nodiscard]] std::size_t role_of(std::size_t /*thread*/) const override { return 0; }

  /// A clock that runs backwards is found out: of each thread's readings none may be less than the one before it.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    const std::uint64_t made = std::reduce(ops.begin(), ops.end());
    return {{"readings in order", {.made = made, .found = made - std::min(made, backwards_.load())}}};
  }
  [[nodiscard]] const std::byte* memory() const override { return reinterpret_cast<const std::byte*>(this); }

 private:
  const std::uint64_t least_ns_;
  std::atomic<std::uint64_t> backwards_{0};
};

}  // namespace threadping::jitter

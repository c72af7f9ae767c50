#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace threadping::waits {

/// What a thread pauses between its operations. A long pause is made in stretches: each is a sign of life for the
/// watchdog, and looks whether to stop. A stopped thread still makes a short one: hundreds without a pause would keep
/// each other, and the lead, from the CPU.
class Pauses {
 public:
  void pause(std::chrono::nanoseconds time, const std::atomic<bool>& stopped) {
    using std::chrono::nanoseconds;
    constexpr nanoseconds kStretch = std::chrono::milliseconds(10);
    constexpr nanoseconds kStopped = std::chrono::microseconds(50);
    while (time.count() > 0) {
      const bool last = stopped.load(std::memory_order_relaxed);
      const nanoseconds stretch = std::min(time, last ? kStopped : kStretch);
      std::this_thread::sleep_for(stretch);
      stretches_.store(stretches() + 1, std::memory_order_relaxed);
      if (last) return;
      time -= stretch;
    }
  }

  [[nodiscard]] std::uint64_t stretches() const { return stretches_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> stretches_ = 0;
};

}  // namespace threadping::waits

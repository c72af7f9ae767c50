#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace threadping::waits {

/// What a thread pauses between its operations. A long pause is made in stretches: each is a sign of life for the
/// watchdog, and looks whether to stop.
class Pauses {
 public:
  void pause(std::chrono::nanoseconds time, const std::atomic<bool>& stopped) {
    constexpr std::chrono::nanoseconds kStretch = std::chrono::milliseconds(10);
    for (; time.count() > 0 && !stopped.load(std::memory_order_relaxed); time -= std::min(time, kStretch)) {
      std::this_thread::sleep_for(std::min(time, kStretch));
      stretches_.store(stretches() + 1, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::uint64_t stretches() const { return stretches_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> stretches_ = 0;
};

}  // namespace threadping::waits

#pragma once

#include <atomic>
#include <cstdint>

#include "engine/samples.hpp"
#include "platform/lines.hpp"

namespace threadping::engine {

/// How what was timed stands to the windows.
enum class Place { inside, across, outside };

/// Tells from when to when the latest window was open to whoever times while somebody else opens and closes it. It is
/// asked about what has ended, at latest before the next window opens.
class Gate {
 public:
  void open(std::uint64_t now_ns) {
    opened_ns_.store(now_ns, std::memory_order_relaxed);
    closed_ns_.store(kOpen, std::memory_order_release);
  }
  void close(std::uint64_t now_ns) { closed_ns_.store(now_ns, std::memory_order_release); }

  [[nodiscard]] bool is_open() const { return closed_ns_.load(std::memory_order_acquire) == kOpen; }

  /// Whoever sees a window's end, or that it has none yet, sees its beginning too.
  [[nodiscard]] Place place_of(const Timing& timing) const {
    const std::uint64_t closed_ns = closed_ns_.load(std::memory_order_acquire);
    const std::uint64_t opened_ns = opened_ns_.load(std::memory_order_relaxed);
    if (timing.from_ns >= opened_ns && timing.to_ns <= closed_ns) return Place::inside;
    return timing.from_ns < closed_ns && timing.to_ns > opened_ns ? Place::across : Place::outside;
  }

 private:
  static constexpr std::uint64_t kOpen = UINT64_MAX;

  alignas(platform::kLinePair) std::atomic<std::uint64_t> opened_ns_{0};
  std::atomic<std::uint64_t> closed_ns_{0};
};

}  // namespace threadping::engine

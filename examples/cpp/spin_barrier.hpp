// A barrier as a barrier, by the name of the standard library: all threads meet there twice a round.
#pragma once
#include <atomic>
#include <cstddef>

class SpinBarrier {
 public:
  explicit SpinBarrier(std::size_t threads) : threads_(threads), missing_(threads) {}
  void arrive_and_wait() {
    const std::size_t mine = episode_.load(std::memory_order_relaxed);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.store(threads_, std::memory_order_relaxed);
      episode_.store(mine + 1, std::memory_order_release);
    }
    while (episode_.load(std::memory_order_acquire) == mine && !stopped_) {
    }
  }
  void stop() { stopped_ = true; }

 private:
  const std::size_t threads_;
  std::atomic<std::size_t> missing_, episode_{0};
  std::atomic<bool> stopped_{false};
};

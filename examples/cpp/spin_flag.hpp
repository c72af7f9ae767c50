// A signal: one store, and a loop that polls.
#pragma once
#include <atomic>
#include <cstdint>

class SpinFlag {
 public:
  void publish(std::uint64_t number) { number_.store(number, std::memory_order_release); }
  std::uint64_t await(std::uint64_t number) const {
    for (;;)
      if (const std::uint64_t seen = number_.load(std::memory_order_acquire); seen >= number) return seen;
  }
  void stop() { publish(std::uint64_t{1} << 62); }
  std::uint64_t peek() const { return number_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> number_{0};
};

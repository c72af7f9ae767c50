#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace threadping::signal {

/// What ping wants of pong next.
struct Order {
  enum class Kind : std::uint32_t { visit, read_counters, stop };
  Kind kind = Kind::stop;
  std::uint32_t line = 0;   ///< With `visit`: the line,
  std::uint32_t turns = 0;  ///< and how many turns to take there.
};

/// How ping, which decides everything, leads pong, which echoes, from line to line. On lines of its own, and used only
/// between visits, when nothing is timed.
class Orders {
 public:
  void send(const Order& order) {
    order_ = order;
    sent_.store(sent_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// Waits for the order after the `received` ones so far. Spins, since pong is to be found awake and warm; yields now
  /// and then, since ping may need this very CPU.
  Order receive(std::uint64_t received) {
    constexpr int kSpinsBeforeYield = 1000;
    for (int spins = 0; sent_.load(std::memory_order_acquire) == received; ++spins)
      if (spins >= kSpinsBeforeYield) sched_yield();
    return order_;
  }

  /// Pong has done what `read_counters` asks.
  void acknowledge() { acknowledged_.store(true, std::memory_order_release); }
  void await_acknowledgement() const {
    while (!acknowledged_.load(std::memory_order_acquire)) sched_yield();
  }

 private:
  alignas(128) std::atomic<std::uint64_t> sent_{0};
  Order order_;
  alignas(128) std::atomic<bool> acknowledged_{false};
};

}  // namespace threadping::signal

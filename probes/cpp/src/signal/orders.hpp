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
  std::uint64_t turns = 0;  ///< and how many turns to take there.
};

/// How ping, which decides everything, leads pong, which echoes, from line to line. On lines of its own, and used only
/// between visits, when nothing is timed. It relies on no mechanism's ordering: relaxed-one-line promises none.
class Orders {
 public:
  /// Waits until pong has taken the order before: it has, once a visit is complete.
  void send(const Order& order) {
    const std::uint64_t number = sent_.load(std::memory_order_relaxed);
    while (taken_.load(std::memory_order_acquire) < number) sched_yield();
    order_ = order;
    sent_.store(number + 1, std::memory_order_release);
  }

  /// The last order, at any time. A ping that is stopped inside a visit does not know whether pong has taken that order
  /// or is reading it just now, so order_ stays as it is.
  void send_stop() { sent_.store(kStop, std::memory_order_release); }

  /// Waits for the order after the `received` ones so far. Spins, since pong is to be found awake and warm; yields
  /// after a while, since ping may need this very CPU.
  Order receive(std::uint64_t received) {
    constexpr int kSpinsBeforeYield = 1000;
    std::uint64_t sent = 0;
    for (int spins = 0; (sent = sent_.load(std::memory_order_acquire)) == received; ++spins)
      if (spins >= kSpinsBeforeYield) sched_yield();
    const Order order = sent == kStop ? Order{} : order_;
    taken_.store(received + 1, std::memory_order_release);
    return order;
  }

  /// Pong has done what `read_counters` asks.
  void acknowledge() { acknowledged_.store(true, std::memory_order_release); }
  void await_acknowledgement() const {
    while (!acknowledged_.load(std::memory_order_acquire)) sched_yield();
  }

  /// Pong takes no more orders: ping is left no wait.
  void leave() {
    taken_.store(kStop, std::memory_order_release);
    acknowledge();
  }

 private:
  static constexpr std::uint64_t kStop = ~std::uint64_t{0};

  alignas(128) std::atomic<std::uint64_t> sent_{0};
  Order order_;
  alignas(128) std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> acknowledged_{false};
};

}  // namespace threadping::signal

#pragma once

#include <atomic>
#include <cstdint>

/// A signal: a number that only grows, by which one thread tells another something. One thread publishes 1, 2, 3, ...,
/// each once and in this order; one thread awaits. 0 is published from the start.
class MySignal {
 public:
  /// Whether a thread that waits sleeps in the kernel. Then `threadping run wakeup` measures it too.
  static constexpr bool kBlocking = false;

  /// Makes `number` what is published, and wakes the thread that awaits it. It never waits for that thread.
  void publish(std::uint64_t number) { number_.store(number, std::memory_order_release); }

  /// Waits until `number` is published, and gives what is: `number`, or something larger. What was written before
  /// publish(number) is seen after it.
  std::uint64_t await(std::uint64_t number) {
    std::uint64_t seen = peek();
    while (seen < number) seen = peek();
    return seen;
  }

  /// Ends every wait, now and later: await() gives at least 2^62 then. Any thread calls it, again and again: a
  /// publisher that is just storing its number may overwrite it.
  void stop() { publish(std::uint64_t{1} << 62); }

  /// What is published. Any thread calls it, at any time; it does not wait.
  std::uint64_t peek() const { return number_.load(std::memory_order_acquire); }

 private:
  alignas(128) std::atomic<std::uint64_t> number_{0};
};

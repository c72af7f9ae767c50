#pragma once

#include <atomic>
#include <cstdint>

#include "engine/samples.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"

namespace threadping::engine {

/// What all workers are to do, until the next order: sleep, read some counters, perform `count` operations on the line,
/// and then, unless the chunk is 0, go on there, with `chunk` operations between two polls of the orders.
struct Order {
  enum class Reading : std::uint8_t {
    none,
    prepare,  ///< Whatever takes long, ahead of the warm-up.
    begin,    ///< All of them: what is counted from here on is measuring.
    end,      ///< The same again, the quick ones first,
    finish,   ///< and then those that take long.
  };
  Reading reading = Reading::none;
  bool leave = false;  ///< End.
  std::uint32_t line = 0;
  std::uint64_t count = 0;
  std::uint64_t chunk = 0;
  std::uint32_t every = 0;    ///< As in a Task.
  std::uint64_t rest_ns = 0;  ///< Sleep so long before anything else.
  bool whole = false;         ///< All that `count` says in one loop, also where the language would make several of it.
};

/// How the lead leads the workers: one order for all, which it replaces once every worker has taken it up. On lines of
/// its own, and polled only between loops. It relies on no mechanism's ordering.
class Orders {
 public:
  /// Workers obey numbers, not orders: what one has not begun to read yet must not be replaced.
  void give(const Order& order) {
    order_ = order;
    number_.store(number_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    wake();
  }

  /// The last order, at any time: a lead that was stopped does not know who is reading an order just now.
  void leave() {
    number_.store(kLeave, std::memory_order_seq_cst);
    wake();
  }

  /// The latest order's number; larger for a later one.
  [[nodiscard]] std::uint64_t number() const { return number_.load(std::memory_order_acquire); }

  /// Where the number is stored, for a worker that polls it from another language.
  [[nodiscard]] const std::atomic<std::uint64_t>& number_word() const { return number_; }

  /// The order of this number, for a worker that has not taken it up yet.
  [[nodiscard]] Order order(std::uint64_t number) const { return number == kLeave ? Order{.leave = true} : order_; }

  /// Sleeps until there is an order after this one; may wake for no reason. The waiting thread stores that it sleeps
  /// and then polls once more; the lead stores its number and then checks for waiting threads. Both in sequentially
  /// consistent order, so that at least one sees the other's store.
  ///
  /// Each that finds an order wakes two others before it begins: a lead that had to wake hundreds would wait for the
  /// CPU behind those that it has woken. The first to sleep is woken first, so that none that sleeps since then is
  /// woken in the place of one that has not read the order.
  void sleep(std::uint64_t number) {
    ++asleep_;
    const std::uint32_t woken = woken_;
    if (number_ == number) platform::futex_wait(woken_, woken, platform::Sharing::processes);
    if (number_ != number) wake_two();
    --asleep_;
  }

 private:
  void wake() {
    if (asleep_ == 0) return;
    ++woken_;
    wake_two();
  }
  void wake_two() { platform::futex_wake(woken_, platform::Sharing::processes, 2); }

  static constexpr std::uint64_t kLeave = ~std::uint64_t{0};

  alignas(platform::kLinePair) std::atomic<std::uint64_t> number_{0};
  Order order_;
  alignas(platform::kLinePair) std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint32_t> woken_{0};  ///< How often all were woken.
};

/// Where a timed operation is relative to the windows.
enum class Place { inside, across, outside };

/// Tells threads that time from when to when the latest window was open, which another thread opens and closes. They
/// ask about what has ended, at latest before the next window opens.
class Gate {
 public:
  void open(std::uint64_t now_ns) {
    opened_ns_.store(now_ns, std::memory_order_relaxed);
    closed_ns_.store(kOpen, std::memory_order_release);
  }
  void close(std::uint64_t now_ns) { closed_ns_.store(now_ns, std::memory_order_release); }

  [[nodiscard]] bool is_open() const { return closed_ns_.load(std::memory_order_acquire) == kOpen; }

  /// A thread that sees a window's end, or that it has none yet, sees its beginning too.
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

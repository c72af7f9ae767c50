#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string_view>

#include "engine/experiment.hpp"
#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "platform/pinning.hpp"

namespace threadping::engine {

/// What all members are to do, until the next order.
struct Order {
  enum class Kind : std::uint8_t {
    rest,     ///< Nothing.
    work,     ///< Operations on the line.
    sample,   ///< The same, and time one in `every`.
    prepare,  ///< Read those counters that take long to read.
    begin,    ///< Read the others: what is counted from here on is measuring.
    end,      ///< Read them again, the quick ones first,
    finish,   ///< and then those that take long.
    leave,    ///< End.
  };
  Kind kind = Kind::rest;
  std::uint32_t line = 0;
  std::uint64_t count = 0;  ///< How many operations; 0 for as many as there is time for until the next order,
  std::uint64_t chunk = 1;  ///< with so many between two looks at the orders.
  std::uint32_t every = 1;
};

/// How the lead leads the members: one order for all, which it replaces once every member has obeyed it. On lines of
/// its own, and looked at only between loops. It relies on no mechanism's ordering.
class Orders {
 public:
  /// Members obey numbers, not orders: what a member has not begun to read yet must not be replaced.
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

  /// Of the latest order; larger for a later one.
  [[nodiscard]] std::uint64_t number() const { return number_.load(std::memory_order_acquire); }

  /// The order of this number, for a member that has not obeyed it yet.
  [[nodiscard]] Order order(std::uint64_t number) const {
    return number == kLeave ? Order{.kind = Order::Kind::leave} : order_;
  }

  /// Sleeps until there is an order after this one; may wake for no reason. The sleeper says that it sleeps and then
  /// looks once more; who gives an order stores its number and then looks for sleepers. Both in sequentially consistent
  /// order, so that at least one sees the other's store.
  ///
  /// Each that finds an order wakes two others before it begins: a lead that had to wake hundreds would wait for the
  /// CPU behind those that it has woken. Who slept first is woken first, so nobody who sleeps since then is woken in
  /// the place of one that has not read the order.
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

/// What one member tells the others, on lines that it alone writes; nothing in it points anywhere, so that the member
/// may be a process.
struct alignas(platform::kLinePair) Board {
  static constexpr std::uint64_t kEverything = UINT64_MAX;

  std::atomic<std::uint64_t> ops{0};       ///< Completed, a loop behind at most.
  std::atomic<std::uint64_t> obeyed{0};    ///< The number of the order that it does, or has done.
  std::atomic<std::uint64_t> finished{0};  ///< Of the order that it has done.
  std::atomic<bool> ended{false};
  std::atomic<int> thread{0};  ///< The kernel's number of it, once it stands.

  alignas(platform::kLinePair) std::atomic<bool> failed{false};
  ErrorCode code = ErrorCode::internal;
  std::array<char, 512> message{};
  platform::CpuMask cpus_start;
  platform::CpuMask cpus_end;
  platform::ThreadCounters counters;  ///< Over the measuring phase.

  /// The first failure is the cause of what may fail next. Nobody waits for whoever has failed.
  void fail(ErrorCode why, std::string_view sentence) {
    if (failed) return;
    code = why;
    sentence.copy(message.data(), message.size() - 1);
    failed = true;
    obeyed = kEverything;
    finished = kEverything;
  }

  /// Does this; what it throws is a failure.
  template <class Task>
  void attempt(Task task) {
    try {
      task();
    } catch (const Failure& failure) {
      fail(failure.code(), failure.what());
    } catch (const std::exception& error) {
      fail(ErrorCode::internal, error.what());
    }
  }
};

/// All that the threads of a trial use while they measure, be they threads or processes.
struct Scene {
  contract::Request request;
  std::unique_ptr<Loops> loops;
  platform::Shared<Orders> orders{1, loops->sharing()};
  platform::Shared<Gate> gate{1, loops->sharing()};
  platform::Shared<platform::Bell> bell{1, loops->sharing()};             ///< Rung by whoever ends.
  platform::Shared<Board> boards{request.cpus.size(), loops->sharing()};  ///< Of the members.
  std::uint64_t deadline_ns = 0;                                          ///< Known when the threads start.
  alignas(platform::kLinePair) contract::Result result{};  ///< Which the lead writes while the others look at the rest.
};

}  // namespace threadping::engine

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "failure.hpp"
#include "lock/cells.hpp"
#include "lock/orders.hpp"
#include "message/request.hpp"
#include "message/result.hpp"
#include "platform/counters.hpp"
#include "platform/lines.hpp"

namespace threadping::lock {

/// One of the threads that share the lock: it obeys the orders, and between two looks at them performs a chunk of
/// operations. What others read of it while it runs stands on a line of its own.
class alignas(platform::kLinePair) Worker {
 public:
  /// `most_waits` is how many timed waits it can keep; the memory is taken and touched here.
  Worker(const message::Request& request, Cells& cells, const Orders& orders, std::size_t index,
         std::size_t most_waits);

  /// From the pin to the order to leave.
  void run();

  /// The operations so far, a chunk behind at most.
  [[nodiscard]] std::uint64_t ops() const { return ops_.load(std::memory_order_relaxed); }

  /// Whether it has come to do what this order says. One that could not be pinned obeys everything.
  [[nodiscard]] bool obeys(std::uint32_t order) const { return obeyed_.load(std::memory_order_acquire) >= order; }

  /// Why it could not start, once it obeys the first order.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  /// What it has to report when it has obeyed the order to end.
  [[nodiscard]] const message::ThreadResult& report() const { return report_; }
  [[nodiscard]] std::span<const std::uint64_t> waits() const { return std::span(waits_).first(waits_used_); }

 private:
  static constexpr std::uint64_t kNothingYet = 0;
  static constexpr std::uint64_t kEverything = UINT64_MAX;

  void stand();
  void obey(Order::Kind kind);
  void perform(std::uint32_t line);
  void sample(std::uint32_t line);
  void publish(std::uint64_t ops) { ops_.store(ops_.load(std::memory_order_relaxed) + ops, std::memory_order_relaxed); }

  alignas(platform::kLinePair) std::atomic<std::uint64_t> ops_ = 0;
  std::atomic<std::uint64_t> obeyed_ = kNothingYet;

  alignas(platform::kLinePair) const message::Request& request_;
  Cells& cells_;
  const Orders& orders_;
  const std::size_t index_;
  std::optional<platform::ThreadCounters> before_;
  std::optional<Failure> failure_;
  message::ThreadResult report_;
  std::vector<std::uint64_t> waits_;
  std::size_t waits_used_ = 0;
};

}  // namespace threadping::lock

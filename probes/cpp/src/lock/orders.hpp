#pragma once

#include <atomic>
#include <cstdint>

#include "platform/lines.hpp"

namespace threadping::lock {

/// What all workers are to do, until the next order.
struct Order {
  enum class Kind : std::uint8_t {
    hold,     ///< Nothing.
    plain,    ///< Operations on the line.
    sampled,  ///< The same, and time some of them.
    begin,    ///< Read the counters, forget all waits of the warm-up, and hold.
    end,      ///< Read the counters again, and hold.
    leave,    ///< End.
  };
  Kind kind = Kind::hold;
  std::uint32_t line = 0;
  std::uint32_t number = 0;  ///< Counts the orders.
};

/// One word that the coordinator writes and all workers read, so that nobody sees half an order; and, on the same line,
/// how long a chunk is, any value of which will do at any time.
class Orders {
 public:
  /// Gives the order; returns its number.
  std::uint32_t give(Order::Kind kind, std::uint32_t line) {
    ++number_;
    word_.store(std::uint64_t{number_} << 40U | static_cast<std::uint64_t>(kind) << 32U | line,
                std::memory_order_release);
    return number_;
  }

  [[nodiscard]] Order current() const {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return {.kind = static_cast<Order::Kind>(word >> 32U & 0xFFU),
            .line = static_cast<std::uint32_t>(word),
            .number = static_cast<std::uint32_t>(word >> 40U)};
  }

  /// Operations between two looks at the order.
  std::atomic<std::uint64_t> chunk = 1;

  /// In a sampled window one operation in so many is timed.
  std::atomic<std::uint32_t> every = 1;

 private:
  alignas(platform::kLinePair) std::atomic<std::uint64_t> word_ = 0;
  alignas(platform::kLinePair) std::uint32_t number_ = 0;
};

}  // namespace threadping::lock

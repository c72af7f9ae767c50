#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "platform/lines.hpp"
#include "ring/shape.hpp"

namespace threadping::ring {

/// What a producer keeps to itself; the watchdog only looks.
struct alignas(platform::kLinePair) Producer {
  std::uint64_t next = 0;              ///< The id of its next message.
  std::uint64_t flies_until = 0;       ///< The id from which on it has to ask what was taken.
  std::uint64_t left = 0;              ///< How often it has said that it leaves.
  std::atomic<std::uint64_t> sent{0};  ///< Messages, a loop behind.
};

/// What a consumer has taken of a producer, which looks at it when too many of its messages may be in flight.
struct alignas(platform::kLinePair) Account {
  std::atomic<std::uint64_t> taken{0};
};

/// What a consumer keeps to itself.
struct alignas(platform::kLinePair) Consumer {
  std::span<Account> accounts;  ///< Of each producer.
  std::uint64_t ended = 0;      ///< How often it has seen a producer leave,
  std::uint64_t left = 0;       ///< and how many it has followed.

  [[nodiscard]] bool all_left() const { return ended - left >= accounts.size(); }
};

/// What is known on one line of who has sent and taken what, whatever the mechanism. Each writes its own.
class Books {
 public:
  explicit Books(const Shape& shape);
  Books(const Books&) = delete;
  Books& operator=(const Books&) = delete;
  ~Books() = default;

  /// The messages of this producer that every consumer has taken; it has read them by then.
  [[nodiscard]] std::uint64_t taken_of(std::size_t producer) const;

  /// The messages that every consumer has taken.
  [[nodiscard]] std::uint64_t taken() const;

  /// Changes with whatever is taken, and with what a producer has sent.
  [[nodiscard]] std::uint64_t progress() const;

  /// Whether every consumer has seen every producer leave, each time.
  [[nodiscard]] bool all_followed() const;

  std::vector<Producer> producers;
  std::vector<Consumer> consumers;

 private:
  std::vector<Account> accounts_;  ///< For each consumer one of each producer.
};

}  // namespace threadping::ring

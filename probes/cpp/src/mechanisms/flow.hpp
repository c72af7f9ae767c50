#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "mechanisms/message.hpp"
#include "mechanisms/queue.hpp"
#include "platform/lines.hpp"

namespace threadping::queues {

/// What a consumer has taken of a producer, which looks at it when too many of its messages may be in flight.
struct alignas(platform::kLinePair) Account {
  std::atomic<std::uint64_t> taken{0};
};

/// A queue, and for each consumer an account of each producer.
template <Queue Q>
struct Cell {
  const Shape shape;
  Q queue;
  std::vector<Account> accounts;

  Cell(const Shape& of, const engine::Params& params)
      : shape(of), queue(of, params), accounts(of.producers * of.consumers) {}

  Account& account(std::uint64_t consumer, std::uint64_t producer) {
    return accounts[consumer * shape.producers + producer];
  }

  /// The messages of this producer that every consumer has taken; it has read them by then.
  [[nodiscard]] std::uint64_t taken_of(std::uint64_t producer) {
    std::uint64_t least = UINT64_MAX;
    for (std::uint64_t consumer = 0; consumer < shape.consumers; ++consumer)
      least = std::min(least, account(consumer, producer).taken.load(std::memory_order_acquire));
    return least;
  }
};

/// Waits until a producer may send up to the id `wanted`: gives the id up to which it then may, or 0 where the queue
/// was stopped.
template <Queue Q>
[[gnu::noinline]] std::uint64_t await_flight(Cell<Q>& cell, std::uint64_t wanted, std::uint64_t in_flight) {
  const std::uint64_t producer = producer_of(wanted);
  std::uint64_t until = 0;
  const bool may = cell.queue.await([&] {
    until = id_of(producer, cell.taken_of(producer) + in_flight);
    return wanted <= until;
  });
  return may ? until : 0;
}

}  // namespace threadping::queues

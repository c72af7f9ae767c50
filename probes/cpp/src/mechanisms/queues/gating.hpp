#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "mechanisms/message.hpp"
#include "mechanisms/queue.hpp"
#include "platform/lines.hpp"

namespace threadping::queues {

/// A queue, and of each consumer a sequence for each producer: how many of its messages that consumer has taken. Where
/// a limited number may be in flight, these gate the producer.
template <Queue Q>
struct GatedQueue {
  const Shape shape;
  Q queue;
  std::vector<Sequence> sequences;

  GatedQueue(const Shape& of, const engine::Params& params)
      : shape(of), queue(of, params), sequences(of.producers * of.consumers) {}

  Sequence& sequence(std::uint64_t consumer, std::uint64_t producer) {
    return sequences[consumer * shape.producers + producer];
  }

  /// The messages of this producer that every consumer has taken; it has read them by then.
  [[nodiscard]] std::uint64_t gating_sequence(std::uint64_t producer) {
    std::uint64_t least = UINT64_MAX;
    for (std::uint64_t consumer = 0; consumer < shape.consumers; ++consumer)
      least = std::min(least, sequence(consumer, producer).value.load(std::memory_order_acquire));
    return least;
  }
};

/// Waits until a producer may send up to the id `wanted`: gives the id up to which it then may, or 0 where the queue
/// was stopped.
template <Queue Q>
[[gnu::noinline]] std::uint64_t claim(GatedQueue<Q>& gated, std::uint64_t wanted, std::uint64_t in_flight) {
  const std::uint64_t producer = producer_of(wanted);
  std::uint64_t until = 0;
  const bool may = gated.queue.await([&] {
    until = id_of(producer, gated.gating_sequence(producer) + in_flight);
    return wanted <= until;
  });
  return may ? until : 0;
}

}  // namespace threadping::queues

#pragma once

#include <atomic_queue/atomic_queue.h>

#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"

namespace threadping::queues {

/// atomic_queue::AtomicQueueB2 (https://github.com/max0x7ba/atomic_queue): a ring whose head and tail are advanced by
/// compare-and-swap, with a byte for each slot that says whether it is empty, being written, written or being read.
/// Holds 4,096 at least, so what is in flight is bounded instead. Whoever has claimed a slot and lost its CPU keeps the
/// consumer waiting in the library, with pauses.
///
/// The write that must be seen is the message, by the consumer: the library stores the slot's byte with release, and
/// swaps it with acquire; likewise for the producer that uses the slot next.
template <class M>
class AtomicQueue : public OneByOne<AtomicQueue<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "atomic-queue", .many_producers = true, .bounded = false};

  [[gnu::noinline]] explicit AtomicQueue(const Shape& shape) : queue_(static_cast<unsigned>(slots<M>(shape.size))) {}

  bool push(auto& /*sender*/, const M& message) { return queue_.try_push(message); }
  bool pop(auto& /*taker*/, M& message) { return queue_.try_pop(message); }

 private:
  atomic_queue::AtomicQueueB2<M> queue_;
};

}  // namespace threadping::queues

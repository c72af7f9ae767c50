#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <cstdint>
#include <deque>

#include "platform/lines.hpp"
#include "ring/mechanisms/one_by_one.hpp"
#include "ring/shape.hpp"

namespace threadping::ring {

/// moodycamel::ConcurrentQueue (https://github.com/cameron314/concurrentqueue): for each producer a list of blocks of
/// its own, found by its token; the consumer goes from one producer's list to the next. It keeps the order of each
/// producer, and none between them. It grows for ever, so what is in flight is bounded.
///
/// The write that must be seen is the message, by the consumer: the library stores its producer's tail with release and
/// loads it with acquire.
template <class M>
class ConcurrentQueue : public OneByOne<ConcurrentQueue<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "concurrentqueue", .many_producers = true, .bounded = false};
  using Sender = const moodycamel::ProducerToken*;
  using Taker = moodycamel::ConsumerToken*;

  explicit ConcurrentQueue(const Shape& shape) : queue_(shape.size, shape.producers, 0), consumer_(queue_) {
    for (std::uint64_t producer = 0; producer < shape.producers; ++producer) producers_.emplace_back(queue_);
    this->touch(shape.size, shape.producers);
  }

  [[nodiscard]] Sender sender(std::uint64_t producer) const { return &producers_[producer]; }
  Taker taker(std::uint64_t /*consumer*/) { return &consumer_; }
  bool push(Sender& sender, const M& message) { return queue_.enqueue(*sender, message); }
  bool pop(Taker& taker, M& message) { return queue_.try_dequeue(*taker, message); }

 private:
  moodycamel::ConcurrentQueue<M> queue_;
  std::deque<moodycamel::ProducerToken> producers_;
  alignas(platform::kLinePair) moodycamel::ConsumerToken consumer_;
};

}  // namespace threadping::ring

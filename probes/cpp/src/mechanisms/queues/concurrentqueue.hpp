#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"
#include "platform/lines.hpp"

namespace threadping::queues {

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

  [[gnu::noinline]] explicit ConcurrentQueue(const Shape& shape)
      : queue_(slots<M>(shape.size * (shape.producers + 1)) / (shape.producers + 1), shape.producers, 0),
        producers_(shape.producers) {}

  /// A token, which its own thread makes, as a program's would: producers whose blocks one thread made one after the
  /// other would be neighbours. The blocks were touched when the queue was made; nothing may pass through it before the
  /// first message, since a trial that is cut early has a consumer that takes already.
  Sender sender(std::uint64_t producer) { return &producers_[producer].token.emplace(queue_); }
  Taker taker(std::uint64_t /*consumer*/) { return &consumer_.emplace(queue_); }
  bool push(Sender& sender, const M& message) { return queue_.enqueue(*sender, message); }
  bool pop(Taker& taker, M& message) { return queue_.try_dequeue(*taker, message); }

 private:
  struct alignas(platform::kLinePair) Producer {
    std::optional<moodycamel::ProducerToken> token;
  };

  moodycamel::ConcurrentQueue<M> queue_;
  std::vector<Producer> producers_;
  alignas(platform::kLinePair) std::optional<moodycamel::ConsumerToken> consumer_;
};

}  // namespace threadping::queues

#pragma once

#include <atomic_queue/atomic_queue.h>
#include <concurrentqueue/concurrentqueue.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <boost/lockfree/spsc_queue.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"
#include "platform/lines.hpp"

namespace threadping::queues {

/// moodycamel::ReaderWriterQueue (https://github.com/cameron314/readerwriterqueue): a ring of blocks, each with a front
/// that only the consumer writes and a tail that only the producer writes; each side keeps a copy of the other's.
/// Above some size it makes blocks of 512, and holds up to twice the requested number.
///
/// The write that must be seen is the message, by the consumer: the library stores the block's tail after a release
/// fence, and loads it before an acquire fence; likewise the front, for the producer.
template <class M>
class ReaderWriterQueue : public OneByOne<ReaderWriterQueue<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "readerwriterqueue"};

  explicit ReaderWriterQueue(const Shape& shape) : queue_(slots<M>(shape.size)) { this->touch(shape.size); }

  bool push(auto& /*sender*/, const M& message) { return queue_.try_enqueue(message); }
  bool pop(auto& /*taker*/, M& message) { return queue_.try_dequeue(message); }

 private:
  moodycamel::ReaderWriterQueue<M> queue_;
};

/// boost::lockfree::spsc_queue with its capacity chosen at run time: one array, a read and a write index on lines of
/// their own, no copy of the other's, so that each message asks for the other side's line. Wraps by a comparison, so
/// that its size may be any.
///
/// The write that must be seen is the message, by the consumer: the library stores the write index with release, and
/// loads it with acquire; likewise the read index, for the producer.
template <class M>
class BoostSpsc : public OneByOne<BoostSpsc<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "boost-spsc"};

  [[gnu::noinline]] explicit BoostSpsc(const Shape& shape) : queue_(slots<M>(shape.size)) { this->touch(shape.size); }

  bool push(auto& /*sender*/, const M& message) { return queue_.push(message); }
  bool pop(auto& /*taker*/, M& message) { return queue_.pop(message); }

 private:
  boost::lockfree::spsc_queue<M> queue_;
};

/// atomic_queue::AtomicQueueB2 (https://github.com/max0x7ba/atomic_queue): a ring whose head and tail are advanced by
/// compare-and-swap, with a byte for each slot that says whether it is empty, being written, written or being read.
/// Holds 4,096 at least. A producer that loses its CPU with a slot claimed keeps the consumer waiting in the library,
/// with pauses; if others fill the ring meanwhile, a message that is a round later may be stored in that slot, and
/// overtake (seen). So of several producers what each has in flight is bounded outside it, and the ring can hold all
/// of that.
///
/// The write that must be seen is the message, by the consumer: the library stores the slot's byte with release, and
/// swaps it with acquire; likewise for the producer that uses the slot next.
template <class M>
class AtomicQueue : public OneByOne<AtomicQueue<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "atomic-queue", .many_producers = true, .full = Full::of_one_producer};

  [[gnu::noinline]] explicit AtomicQueue(const Shape& shape)
      : queue_(static_cast<unsigned>(slots<M>(shape.size * shape.producers))) {}

  bool push(auto& /*sender*/, const M& message) { return queue_.try_push(message); }
  bool pop(auto& /*taker*/, M& message) { return queue_.try_pop(message); }

 private:
  atomic_queue::AtomicQueueB2<M> queue_;
};

/// moodycamel::ConcurrentQueue (https://github.com/cameron314/concurrentqueue): for each producer a list of blocks of
/// its own, found by its token; the consumer goes from one producer's list to the next. It keeps the order of each
/// producer, and none between them. By try_enqueue, which makes no block beyond those that were made for its size: it
/// holds up to twice as many, and a bound of ours would be a part of what it costs. Of several producers one may take
/// all of these blocks, and keep them: so what is in flight is bounded outside it.
///
/// The write that must be seen is the message, by the consumer: the library stores its producer's tail with release and
/// loads it with acquire.
template <class M>
class ConcurrentQueue : public OneByOne<ConcurrentQueue<M>, M> {
 public:
  static constexpr Traits kTraits{.name = "concurrentqueue", .many_producers = true, .full = Full::of_one_producer};
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
  bool push(Sender& sender, const M& message) { return queue_.try_enqueue(*sender, message); }
  bool pop(Taker& taker, M& message) { return queue_.try_dequeue(*taker, message); }

 private:
  struct alignas(platform::kLinePair) OwnToken {
    std::optional<moodycamel::ProducerToken> token;
  };

  moodycamel::ConcurrentQueue<M> queue_;
  std::vector<OwnToken> producers_;
  alignas(platform::kLinePair) std::optional<moodycamel::ConsumerToken> consumer_;
};

}  // namespace threadping::queues

#pragma once

#include <readerwriterqueue/readerwriterqueue.h>

#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"

namespace threadping::queues {

/// moodycamel::ReaderWriterQueue (https://github.com/cameron314/readerwriterqueue): a ring of blocks, each with a front
/// that only the consumer writes and a tail that only the producer writes, each of which keeps a copy of the other's.
/// Of a size above some it makes blocks of 512, and holds up to twice as many as it was asked for.
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

}  // namespace threadping::queues

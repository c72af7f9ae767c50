#pragma once

#include <boost/lockfree/spsc_queue.hpp>

#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"

namespace threadping::queues {

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

}  // namespace threadping::queues

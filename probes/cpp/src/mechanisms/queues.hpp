#pragma once

#include <vector>

#include "mechanisms/queues/libraries.hpp"
#include "mechanisms/queues/mutex_deque.hpp"
#include "mechanisms/queues/sequenced_ring.hpp"

namespace threadping::queues {

/// Some queues, in the order in which they are shown.
template <template <class Message> class... Q>
struct Queues {
  /// What `of.template operator()<Q>()` gives for each.
  template <class Of>
  static auto each(Of of) {
    return std::vector{of.template operator()<Q>()...};
  }
};

/// Every queue, which every experiment with queues has: a new one is a file in queues/ and a line here.
using All = Queues<     //
    SequencedRing,      //
    ReaderWriterQueue,  //
    BoostSpsc,          //
    AtomicQueue,        //
    ConcurrentQueue,    //
    MutexDeque>;

}  // namespace threadping::queues

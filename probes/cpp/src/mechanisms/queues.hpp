#pragma once

#include <vector>

#include "mechanisms/message.hpp"
#include "mechanisms/queue.hpp"
#include "mechanisms/queues/libraries.hpp"
#include "mechanisms/queues/mutex_deque.hpp"
#include "mechanisms/queues/sequenced_ring.hpp"
#include "waits/waits.hpp"

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

/// Calls `visit` as a template over Q with the wait that these parameters name, where it waits for nothing by itself;
/// otherwise over Q as it is.
template <TwoSided Q, class Visit>
auto with_wait(const engine::Params& params, Visit visit) {
  if constexpr (PolledQueue<Q>)
    return waits::with_wait(params, [&]<class Wait> { return visit.template operator()<Waiting<Q, Wait>>(); });
  else
    return visit.template operator()<Q>();
}

}  // namespace threadping::queues

#pragma once

#include <vector>

#include "mechanisms/signal.hpp"
#include "mechanisms/signals/channels.hpp"
#include "mechanisms/signals/sleeping.hpp"

namespace threadping::signals {

/// Some signals, in the order in which they are shown.
template <Signal... S>
struct Signals {
  /// What `of.template operator()<S>()` gives for each.
  template <class Of>
  static auto each(Of of) {
    return std::vector{of.template operator()<S>()...};
  }
};

/// Every signal whose awaiter sleeps, which every experiment with signals has: a new one is a file in signals/ and a
/// line here. Those that spin are in signals/counter.hpp.
using Blocking = Signals<  //
    Condition,             //
    ConditionReleased,     //
    Futex,                 //
    AtomicWait,            //
    Semaphore,             //
    SpinThenPark,          //
    Eventfd,               //
    Pipe,                  //
    Socketpair,            //
    TcpLoopback>;

}  // namespace threadping::signals

#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// The published Java ping-pong ("Inter Thread Latency", 2011), whose `++` on a volatile is a load, a store and a full
/// fence: two counters next to each other in one line, one writer each, stored in sequentially consistent order.
///
/// The write that must be seen is the other side's store. The fence keeps this side from its next look until the store
/// has left the store buffer; it makes the store visible no sooner.
struct SeqcstOneLine : CounterProtocol<OneLine, StoresSeqcst> {
  static constexpr std::string_view kName = "seqcst-one-line";
};

}  // namespace threadping::signal

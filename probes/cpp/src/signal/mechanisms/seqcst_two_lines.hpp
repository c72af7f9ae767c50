#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// Two counters on two lines, one writer each, loaded and stored in sequentially consistent order: what a volatile or a
/// default atomic costs when the counters are padded.
///
/// The write that must be seen is the other side's store. The fence keeps this side from its next look until the store
/// has left the store buffer; it makes the store visible no sooner.
struct SeqcstTwoLines : CounterProtocol<TwoLines, StoresSeqcst> {
  static constexpr std::string_view kName = "seqcst-two-lines";
};

}  // namespace threadping::signal

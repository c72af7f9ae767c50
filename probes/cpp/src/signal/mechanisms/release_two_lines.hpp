#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// Two counters on two lines, one writer each: a plain store with release order tells, a load with acquire order waits.
///
/// The write that must be seen is the other side's store-release; nothing here needs a fence or a locked instruction
/// on x86. Each hand-over moves one line from its writer to its reader, and the reader's own line is asked back by the
/// other side at the same time.
struct ReleaseTwoLines : CounterProtocol<TwoLines, StoresRelease> {
  static constexpr std::string_view kName = "release-two-lines";
};

}  // namespace threadping::signal

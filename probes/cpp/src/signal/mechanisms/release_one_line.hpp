#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// Two counters next to each other in one line, one writer each, stored with release order: the ordered store (lazySet)
/// that the readers of the published article asked for.
///
/// The write that must be seen is the other side's store-release; what was written before it is seen with it. No fence
/// and no locked instruction on x86.
struct ReleaseOneLine : CounterProtocol<OneLine, StoresRelease> {
  static constexpr std::string_view kName = "release-one-line";
};

}  // namespace threadping::signal

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
  static constexpr std::string_view kSummary =
      "Two counters in one cache line, stored with release order (lazySet) and awaited with acquire loads.";
  static constexpr std::string_view kCpuCost =
      "Burns both CPUs without a locked instruction; the waiter's loads slow the writer, because both counters share "
      "the line.";
};

}  // namespace threadping::signal

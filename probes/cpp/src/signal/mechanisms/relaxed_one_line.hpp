#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// The published variant without a barrier: two counters next to each other in one line, with no order but their own.
///
/// The write that must be seen is the other side's store, but nothing that was written before it need be: only the
/// counter itself is handed over. It shows what ordering costs, and must not be used to hand over anything else. Plain
/// variables would not do even here, since a compiler may take the load out of the loop.
struct RelaxedOneLine : CounterProtocol<OneLine, StoresRelaxed> {
  static constexpr std::string_view kName = "relaxed-one-line";
  static constexpr std::string_view kSummary =
      "Two counters in one cache line without any ordering: hands over the counter and nothing that was written before "
      "it.";
  static constexpr std::string_view kCpuCost =
      "Burns both CPUs; no cheaper than release-one-line on x86, and wrong for anything but a lone counter.";
};

}  // namespace threadping::signal

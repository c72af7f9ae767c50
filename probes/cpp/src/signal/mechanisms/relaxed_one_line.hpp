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
};

}  // namespace threadping::signal

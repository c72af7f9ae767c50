#pragma once

#include <string_view>

#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// The published C++ ping-pong ("Inter Thread Latency", 2011): two counters next to each other in one line, one writer
/// each. A side spins on a load of the other's counter, then adds one to its own with a locked read-modify-write. What
/// comes out is known before, so nobody asks; nor does ping read its counter again for the limit, as the listing does.
///
/// The write that must be seen is the other side's add. Because the counters share the line, every load of a waiting
/// side takes the line from the side that is about to write.
struct AddOneLine : CounterProtocol<OneLine, Adds> {
  static constexpr std::string_view kName = "add-one-line";
};

}  // namespace threadping::signal

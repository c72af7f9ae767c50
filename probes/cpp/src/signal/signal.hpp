#pragma once

#include <vector>

#include "mechanism_info.hpp"
#include "message/request.hpp"
#include "message/signal_result.hpp"

namespace threadping::signal {

/// What each mechanism says of itself, in the order of the list.
std::vector<MechanismInfo> describe();

/// Measures one trial. Throws Failure.
message::SignalResult run(const message::Request& request);

}  // namespace threadping::signal

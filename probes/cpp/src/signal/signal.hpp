#pragma once

#include <vector>

#include "mechanism.hpp"
#include "message/request.hpp"
#include "message/result.hpp"

namespace threadping::signal {

inline constexpr const char* kExperiment = "signal";

/// What each mechanism says of itself, in the order of the list.
std::vector<MechanismInfo> describe();

/// Measures one trial. Throws Failure.
message::Result run(const message::Request& request);

}  // namespace threadping::signal

#pragma once

#include <vector>

#include "mechanism_info.hpp"
#include "message/lock_result.hpp"
#include "message/request.hpp"

namespace threadping::lock {

/// What each mechanism says of itself, in the order of the list.
std::vector<MechanismInfo> describe();

/// Measures one trial. Throws Failure.
message::LockResult run(const message::Request& request);

}  // namespace threadping::lock

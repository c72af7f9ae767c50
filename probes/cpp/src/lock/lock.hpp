#pragma once

#include "crew/experiment.hpp"

namespace threadping::lock {

/// What becomes of a lock, or of a counter without one, when threads contend for it.
const crew::Experiment& experiment();

}  // namespace threadping::lock

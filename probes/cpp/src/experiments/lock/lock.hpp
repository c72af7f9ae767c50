#pragma once

#include "engine/experiment.hpp"

namespace threadping::lock {

/// What becomes of a lock, or of a counter without one, when threads contend for it.
const engine::Experiment& experiment();

}  // namespace threadping::lock

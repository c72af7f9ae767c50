#pragma once

#include "contract/request.hpp"
#include "engine/experiment.hpp"

namespace threadping::toy {

/// What an experiment costs to write: two threads that each add to a counter on their own line. Windows in ns are
/// led from outside, windows in ops by the first thread.
const engine::Experiment& experiment(contract::Unit windows);

}  // namespace threadping::toy

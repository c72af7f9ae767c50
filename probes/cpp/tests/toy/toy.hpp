#pragma once

#include "crew/experiment.hpp"
#include "message/request.hpp"

namespace threadping::toy {

/// What an experiment costs to write: two threads, each of which adds to a counter on its own line. Windows in ns are
/// led from outside, windows in ops by the first thread.
const crew::Experiment& experiment(message::Unit windows);

}  // namespace threadping::toy

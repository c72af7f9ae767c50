#pragma once

#include "engine/experiment.hpp"

namespace threadping::ring {

/// ring: producers send a stream of messages to consumers as fast as these take them. How many go through, in what
/// batches, and how long is a message on its way?
const engine::Experiment& experiment();

}  // namespace threadping::ring

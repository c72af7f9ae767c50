#pragma once

#include "engine/experiment.hpp"

namespace threadping::signal {

/// What it costs one thread to tell another something: ping tells pong, which tells ping, again and again.
const engine::Experiment& experiment();

}  // namespace threadping::signal

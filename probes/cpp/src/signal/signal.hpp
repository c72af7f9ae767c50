#pragma once

#include "crew/experiment.hpp"

namespace threadping::signal {

/// What it costs one thread to tell another something: ping tells pong, which tells ping, again and again.
const crew::Experiment& experiment();

}  // namespace threadping::signal

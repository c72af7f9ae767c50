#pragma once

#include "engine/experiment.hpp"

namespace threadping::notify {

/// notify: notifiers call waiters that sleep, each its own. What does the call cost, and how long until one is awake?
const engine::Experiment& experiment();

}  // namespace threadping::notify

#pragma once

#include "crew/experiment.hpp"

namespace threadping::notify {

/// notify: notifiers call waiters that sleep, each its own. What does the call cost, and how long until one is awake?
const crew::Experiment& experiment();

}  // namespace threadping::notify

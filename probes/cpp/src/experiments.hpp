#pragma once

#include <span>

#include "crew/experiment.hpp"
#include "message/request.hpp"

namespace threadping {

/// Every experiment: a new one is a folder and a line here.
std::span<const crew::Experiment* const> experiments();

/// The one that is asked for. Throws Failure(unknown_experiment).
const crew::Experiment& experiment_for(const message::Request& request);

}  // namespace threadping

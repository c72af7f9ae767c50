#pragma once

#include <span>
#include <string>

#include "contract/request.hpp"
#include "engine/experiment.hpp"

namespace threadping {

/// Every experiment: a new one is a folder and a line here.
std::span<const engine::Experiment* const> experiments();

/// The one that is asked for. Throws Failure(unknown_experiment).
const engine::Experiment& experiment_for(const contract::Request& request);

/// The message of `probe describe`: who this is and what it can measure (contract/describe.schema.json).
std::string describe_probe(std::span<const engine::Experiment* const> experiments);

}  // namespace threadping

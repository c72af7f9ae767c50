#pragma once

#include <memory>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "engine/experiment.hpp"
#include "engine/host.hpp"

namespace threadping::engine {

/// Measures one trial, whose request was checked, on this stage of this mechanism. Throws as run() in trial.hpp.
contract::Result run(const contract::Request& request, const Experiment& experiment, const Mechanism& mechanism,
                     std::unique_ptr<Stage> stage, Host& host = native());

}  // namespace threadping::engine

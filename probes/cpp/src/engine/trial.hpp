#pragma once

#include <memory>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "engine/experiment.hpp"
#include "engine/host.hpp"

namespace threadping::engine {

/// Measures one trial of a request that is about this experiment. Throws Failure for what the contract calls an error;
/// Unstoppable where threads remain: what they use is left to them, and the process should end soon.
contract::Result run(const contract::Request& request, const Experiment& experiment, Host& host = native());

/// Measures a trial whose request was checked, on this stage of this mechanism.
contract::Result run(const contract::Request& request, const Experiment& experiment, const Mechanism& mechanism,
                     std::unique_ptr<Stage> stage, Host& host = native());

/// The mechanism that is asked for. Throws Failure(unknown_mechanism), Failure(unsupported) for one that lacks
/// something.
const Mechanism& mechanism_for(const contract::Request& request, const Experiment& experiment);

}  // namespace threadping::engine

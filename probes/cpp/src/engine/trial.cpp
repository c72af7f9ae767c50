#include "engine/trial.hpp"

#include <future>

#include "platform/pinning.hpp"

namespace threadping::engine {
namespace {

/// Made where the request wants their memory to stand: what a thread touches first stands on its node.
std::unique_ptr<Stage> made_at_home(const contract::Request& request, const Mechanism& mechanism) {
  const Params params(mechanism.name, mechanism.params, request.params);
  const Setup setup{.params = params, .lines = request.lines, .threads = request.cpus.size(), .seed = request.seed};
  if (!request.home) return mechanism.make(setup);
  const auto make = [&] {
    platform::pin_this_thread(*request.home);
    return mechanism.make(setup);
  };
  return std::async(std::launch::async, make).get();
}

}  // namespace

contract::Result run(const contract::Request& request, const Experiment& experiment) {
  const Mechanism& mechanism = mechanism_for(request, experiment);
  check(request, experiment, mechanism);
  if (request.pin == contract::Pin::process) platform::pin_process(contract::cpus_named(request));
  return run(request, experiment, mechanism, made_at_home(request, mechanism));
}

}  // namespace threadping::engine

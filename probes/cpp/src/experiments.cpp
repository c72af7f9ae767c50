#include "experiments.hpp"

#include <algorithm>
#include <array>

#include "failure.hpp"
#include "lock/lock.hpp"
#include "signal/signal.hpp"

namespace threadping {
namespace {

constexpr std::array<std::string_view, 2> kPingAndPong{"ping", "pong"};
constexpr std::array<std::string_view, 1> kWorkers{"worker"};

constexpr std::array<Experiment, 2> kExperiments{{
    {.name = "signal",
     .roles = kPingAndPong,
     .least_threads = 2,
     .most_threads = 2,
     .describe = signal::describe,
     .run = [](const message::Request& request) { return to_json(signal::run(request)); }},
    {.name = "lock",
     .roles = kWorkers,
     .least_threads = 1,
     .most_threads = message::kMostThreads,
     .describe = lock::describe,
     .run = [](const message::Request& request) { return to_json(lock::run(request)); }},
}};

}  // namespace

std::span<const Experiment> experiments() { return kExperiments; }

const Experiment& experiment_for(const message::Request& request) {
  const auto* const found = std::ranges::find(kExperiments, request.experiment, &Experiment::name);
  if (found == kExperiments.end())
    throw Failure(ErrorCode::unknown_experiment, "No experiment '" + request.experiment + "' here.");
  return *found;
}

}  // namespace threadping

#include <algorithm>
#include <string>

#include "engine/trial.hpp"
#include "failure.hpp"

namespace threadping::engine {
namespace {

/// "1 to 4096 threads", or "2 threads, ping and pong".
std::string in_words(const Experiment& experiment) {
  const std::string most = std::to_string(experiment.most_threads) + " threads";
  if (experiment.least_threads < experiment.most_threads)
    return std::to_string(experiment.least_threads) + " to " + most;
  std::string roles;
  for (const Role& role : experiment.roles) roles += (roles.empty() ? ", " : " and ") + std::string(role.name);
  return most + roles;
}

}  // namespace

const Mechanism& mechanism_for(const contract::Request& request, const Experiment& experiment) {
  const auto found = std::ranges::find(experiment.mechanisms, request.mechanism, &Mechanism::name);
  if (found == experiment.mechanisms.end())
    throw Failure(ErrorCode::unknown_mechanism,
                  "No mechanism '" + request.mechanism + "' in " + request.experiment + " here.");
  if (!found->needs.empty())
    throw Failure(ErrorCode::unsupported, request.mechanism + " needs " + std::string(found->needs) + ".");
  return *found;
}

void check(const contract::Request& request, const Experiment& experiment, const Mechanism& mechanism) {
  const std::size_t threads = request.cpus.size();
  const auto bad = [](const std::string& why) { return Failure(ErrorCode::bad_request, why); };
  if (threads < experiment.least_threads || threads > experiment.most_threads)
    throw bad(std::string(experiment.name) + " takes " + in_words(experiment) + ", not " + std::to_string(threads) +
              ".");
  const auto pinned =
      static_cast<std::size_t>(std::ranges::count_if(request.cpus, [](const auto& cpu) { return cpu.has_value(); }));
  if (pinned > 0 && !mechanism.pinnable)
    throw bad(std::string(mechanism.name) +
              " has virtual threads, which have no CPU of their own: measure it unpinned.");
  if (request.pin == contract::Pin::process && pinned > 0 && pinned < threads)
    throw bad("With pin 'process' either every thread has a CPU or none has.");
  if (experiment.stream && request.lines > 1)
    throw bad(std::string(experiment.name) + " is a stream, which has one line, not " + std::to_string(request.lines) +
              ".");
  if (request.windows.unit != experiment.windows)
    throw bad("The windows of " + std::string(experiment.name) + " are in " +
              (experiment.windows == contract::Unit::ops ? "ops" : "ns") + ".");
}

}  // namespace threadping::engine

#include "engine/trial.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "engine/board.hpp"
#include "failure.hpp"
#include "platform/memory.hpp"
#include "platform/pinning.hpp"
#include "platform/threads.hpp"

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

/// Throws Failure(bad_request) where such a trial cannot be of these threads, windows, or lines.
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

/// Throws Failure(bad_request) where a thread is to have a CPU of its own that a library may replace.
void check_pins(const contract::Request& request, const Stage& stage) {
  if (request.pin == contract::Pin::process) return;
  for (std::size_t thread = 0; thread < request.cpus.size(); ++thread)
    if (request.cpus[thread] && !stage.lasts(thread))
      throw Failure(ErrorCode::bad_request,
                    "The library of " + request.mechanism +
                        " may replace threads of a team that changes size, so they have no CPUs of their own: pin the "
                        "process, or measure it unpinned.");
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

/// What a thread touches first is located on its node.
std::unique_ptr<Stage> Host::stage(const contract::Request& request, const Mechanism& mechanism) {
  const Params params(mechanism.name, mechanism.params, request.params);
  const Setup setup{.params = params,
                    .lines = request.lines,
                    .threads = request.cpus.size(),
                    .seed = request.seed,
                    .blocking = mechanism.blocking,
                    .crowded = most_at_once(request) < request.cpus.size()};
  if (!request.home) return mechanism.make(setup);
  const auto make = [&] {
    platform::pin_this_thread(*request.home);
    return mechanism.make(setup);
  };
  std::future<std::unique_ptr<Stage>> made;
  try {
    made = std::async(std::launch::async, make);
  } catch (const std::system_error&) {
    throw platform::too_few_threads(0, request.cpus.size());
  }
  return made.get();
}

contract::Result run(const contract::Request& request, const Experiment& experiment, Host& host) {
  const Mechanism& mechanism = mechanism_for(request, experiment);
  check(request, experiment, mechanism);
  platform::count_claims_anew();
  if (request.pin == contract::Pin::process) platform::pin_process(contract::cpus_named(request));
  std::unique_ptr<Stage> stage = host.stage(request, mechanism);
  check_pins(request, *stage);
  return run(request, experiment, mechanism, std::move(stage), host);
}

}  // namespace threadping::engine

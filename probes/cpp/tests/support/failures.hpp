#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/trial.hpp"
#include "failure.hpp"
#include "support/requests.hpp"

namespace threadping::tests {

/// How a call failed: the contract's code and the sentence, or "accepted". What may go on running is said to.
inline std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Unstoppable& failure) {
    return "unstoppable, " + std::string(name_of(failure.code())) + ": " + failure.what();
  } catch (const Failure& failure) {
    return std::string(name_of(failure.code())) + ": " + failure.what();
  }
  return "accepted";
}

/// The same without the sentence.
inline std::string code_of(const std::function<void()>& call) {
  const std::string failure = failure_of(call);
  return failure.substr(0, failure.find(':'));
}

/// What makes a stage that is broken.
using Maker = std::unique_ptr<engine::Stage> (*)(const engine::Setup& setup);
template <class Stage>
inline constexpr Maker kMakes =
    [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> { return std::make_unique<Stage>(setup); };

/// A trial of two threads on this stage, in place of the mechanism that it breaks.
inline contract::Result run_broken(Maker broken, const engine::Experiment& experiment, const contract::Request& request,
                                   const std::map<std::string, contract::Param>& given = {}) {
  const engine::Mechanism& mechanism = engine::mechanism_for(request, experiment);
  const engine::Params params(mechanism.name, mechanism.params, given);
  const engine::Setup setup{.params = params, .lines = request.lines, .threads = 2};
  return engine::run(request, experiment, mechanism, broken(setup));
}

/// How it fails. One that reached its bound before it came to the fault gets more time. It is to measure for not
/// much longer than that: a first thread allocates all windows that it may come to.
inline std::string failure_of_trial(Maker broken, const engine::Experiment& experiment, std::string_view mechanism,
                                    const std::map<std::string, contract::Param>& given = {},
                                    std::uint64_t measure_ns = kHour) {
  auto request = quick_request(experiment, unpinned(2));
  request.mechanism = mechanism;
  request.lines = 1;
  request.patience_ns = kSecond / 10;
  std::string failure = "accepted";
  for (request.bound_ns = 120 * kMillisecond; failure == "accepted" && request.bound_ns < 60 * kSecond;
       request.bound_ns *= 4) {
    request.measure_ns = std::min(measure_ns, 10 * request.bound_ns);
    failure = failure_of([&] { run_broken(broken, experiment, request, given); });
  }
  return failure;
}

}  // namespace threadping::tests

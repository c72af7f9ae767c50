#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/trial.hpp"
#include "failure.hpp"
#include "support/requests.hpp"

namespace threadping::tests {

/// How a call failed: the contract's code and the sentence, or "accepted". What may go on running is said to.
template <class Call>
std::string failure_of(Call call) {
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
template <class Call>
std::string code_of(Call call) {
  const std::string failure = failure_of(call);
  return failure.substr(0, failure.find(':'));
}

/// How a trial of this stage, in place of the mechanism that it breaks, fails.
template <class Stage>
std::string failure_of_trial(const engine::Experiment& experiment, std::string_view mechanism_name,
                             const std::map<std::string, contract::Param>& given = {}) {
  auto request = quick_request(experiment, unpinned(2));
  request.mechanism = mechanism_name;
  request.lines = 1;
  request.bound_ns = kSecond / 2;
  request.patience_ns = kSecond / 5;
  const engine::Mechanism& mechanism = engine::mechanism_for(request, experiment);
  const engine::Params params(mechanism.name, mechanism.params, given);
  const engine::Setup setup{.params = params, .lines = 1, .threads = 2};
  return failure_of([&] { engine::run(request, experiment, mechanism, std::make_unique<Stage>(setup)); });
}

}  // namespace threadping::tests

#include "signal/signal.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "failure.hpp"
#include "signal/mechanisms.hpp"
#include "signal/trial.hpp"

namespace threadping::signal {
namespace {

constexpr std::size_t kRoles = 2;

template <class Visitor>
void for_each_mechanism(Visitor visit) {
  [&]<class... M>(std::tuple<M...>*) { (visit.template operator()<M>(), ...); }(static_cast<Mechanisms*>(nullptr));
}

template <SignalMechanism M>
message::Result run_trial(const message::Request& request) {
  auto trial = std::make_unique<Trial<M>>(request);
  try {
    return trial->run();
  } catch (const Unstoppable&) {
    static_cast<void>(trial.release());  // its threads still run in it; the process ends soon
    throw;
  }
}

void check(const message::Request& request) {
  if (request.cpus.size() != kRoles)
    throw Failure(ErrorCode::bad_request,
                  "signal takes 2 threads, ping and pong, not " + std::to_string(request.cpus.size()) + ".");
  if (!request.params.empty())
    throw Failure(ErrorCode::unknown_param,
                  request.mechanism + " has no parameter '" + request.params.begin()->first + "'.");
}

}  // namespace

std::vector<MechanismInfo> describe() {
  std::vector<MechanismInfo> all;
  for_each_mechanism([&]<class M> { all.push_back(M::kInfo); });
  return all;
}

message::Result run(const message::Request& request) {
  std::optional<message::Result> result;
  bool known = false;
  for_each_mechanism([&]<class M> {
    if (M::kInfo.name != request.mechanism) return;
    known = true;
    check(request);
    result = run_trial<M>(request);
  });
  if (!known) throw Failure(ErrorCode::unknown_mechanism, "No mechanism '" + request.mechanism + "' in signal here.");
  return std::move(*result);
}

}  // namespace threadping::signal

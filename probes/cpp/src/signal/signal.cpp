#include "signal/signal.hpp"

#include <memory>
#include <string>

#include "entries.hpp"
#include "failure.hpp"
#include "params.hpp"
#include "signal/catalogue.hpp"
#include "signal/trial.hpp"

namespace threadping::signal {
namespace {

constexpr std::size_t kRoles = 2;

void check(const message::Request& request) {
  if (request.cpus.size() != kRoles)
    throw Failure(ErrorCode::bad_request,
                  "signal takes 2 threads, ping and pong, not " + std::to_string(request.cpus.size()) + ".");
  message::refuse_half_a_pin(request);
}

}  // namespace

std::vector<MechanismInfo> describe() { return infos_of(catalogue()); }

message::SignalResult run(const message::Request& request) {
  const Entry& entry = entry_for(request, catalogue());
  check(request);
  const Params params(entry.info, request.params);
  return carry_out(std::make_unique<Trial>(request, entry.make(params, request.lines)));
}

}  // namespace threadping::signal

#include "lock/lock.hpp"

#include <memory>

#include "entries.hpp"
#include "lock/catalogue.hpp"
#include "lock/trial.hpp"
#include "params.hpp"

namespace threadping::lock {

std::vector<MechanismInfo> describe() { return infos_of(catalogue()); }

message::LockResult run(const message::Request& request) {
  const Entry& entry = entry_for(request, catalogue());
  message::refuse_half_a_pin(request);
  const Params params(entry.info, request.params);
  return carry_out(std::make_unique<Trial>(request, entry.make(params, request.lines, request.cpus.size())));
}

}  // namespace threadping::lock

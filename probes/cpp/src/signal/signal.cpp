#include "signal/signal.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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
  if (request.pin == message::Pin::process && request.cpus[0].has_value() != request.cpus[1].has_value())
    throw Failure(ErrorCode::bad_request, "With pin 'process' either every thread has a CPU or none has.");
}

}  // namespace

std::vector<MechanismInfo> describe() {
  std::vector<MechanismInfo> all;
  for (const Entry& entry : catalogue()) all.push_back(entry.info);
  return all;
}

message::Result run(const message::Request& request) {
  const auto entry = std::ranges::find(catalogue(), request.mechanism, [](const Entry& one) { return one.info.name; });
  if (entry == catalogue().end())
    throw Failure(ErrorCode::unknown_mechanism, "No mechanism '" + request.mechanism + "' in signal here.");
  check(request);
  const Params params(entry->info, request.params);
  auto trial = std::make_unique<Trial>(request, entry->make(params, request.lines));
  try {
    return trial->run();
  } catch (const Unstoppable&) {
    // its threads still run in it; the process ends soon
    static_cast<void>(trial.release());  // NOLINT(bugprone-unused-return-value)
    throw;
  }
}

}  // namespace threadping::signal

#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "mechanism_info.hpp"
#include "message/request.hpp"

namespace threadping {

/// What an experiment's mechanisms say of themselves, in the order of its list.
template <class Entry>
std::vector<MechanismInfo> infos_of(const std::vector<Entry>& catalogue) {
  std::vector<MechanismInfo> all;
  std::ranges::transform(catalogue, std::back_inserter(all), &Entry::info);
  return all;
}

/// The mechanism that is asked for. Throws Failure(unknown_mechanism).
template <class Entry>
const Entry& entry_for(const message::Request& request, const std::vector<Entry>& catalogue) {
  const auto entry = std::ranges::find(catalogue, request.mechanism, [](const Entry& one) { return one.info.name; });
  if (entry == catalogue.end())
    throw Failure(ErrorCode::unknown_mechanism,
                  "No mechanism '" + request.mechanism + "' in " + request.experiment + " here.");
  return *entry;
}

/// Runs the trial. One whose threads cannot be stopped is left to them; the process ends soon.
template <class Trial>
auto carry_out(std::unique_ptr<Trial> trial) {
  try {
    return trial->run();
  } catch (const Unstoppable&) {
    static_cast<void>(trial.release());  // NOLINT(bugprone-unused-return-value)
    throw;
  }
}

}  // namespace threadping

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanism_info.hpp"
#include "message/request.hpp"

namespace threadping {

/// A question that this probe can answer.
struct Experiment {
  std::string_view name;
  std::span<const std::string_view> roles;  ///< Of the threads in order; the last is for all further ones.
  std::size_t least_threads;
  std::size_t most_threads;
  std::vector<MechanismInfo> (*describe)();
  std::string (*run)(const message::Request& request);  ///< Gives the result message. Throws Failure.
};

/// Every experiment: a new one is a folder and an entry here.
std::span<const Experiment> experiments();

/// The one that is asked for. Throws Failure(unknown_experiment).
const Experiment& experiment_for(const message::Request& request);

}  // namespace threadping

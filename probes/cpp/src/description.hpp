#pragma once

#include <span>
#include <string>

#include "crew/experiment.hpp"

namespace threadping {

/// The message of `probe describe`: who this is and what it can measure (contract/describe.schema.json).
std::string describe_probe(std::span<const crew::Experiment* const> experiments);

}  // namespace threadping

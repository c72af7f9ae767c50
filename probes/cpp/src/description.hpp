#pragma once

#include <string>

namespace threadping {

/// The message of `probe describe`: who this is and what it can measure (contract/describe.schema.json).
std::string describe_probe();

}  // namespace threadping

#pragma once

#include <cstdint>

namespace threadping::message {

/// The version of the contract that this probe speaks.
inline constexpr std::int64_t kSchema = 2;

}  // namespace threadping::message

#include "failure.hpp"

#include <array>
#include <cstddef>

namespace threadping {
namespace {

/// In the order of ErrorCode.
constexpr std::array<const char*, 10> kNames{
    "bad-request", "unknown-experiment", "unknown-mechanism", "unknown-param", "unsupported", "pin-failed",
    "stalled",     "sequence-broken",    "count-wrong",       "internal"};

}  // namespace

const char* name_of(ErrorCode code) { return kNames.at(static_cast<std::size_t>(code)); }

int exit_status_of(ErrorCode code) { return code <= ErrorCode::unsupported ? 2 : 1; }

}  // namespace threadping

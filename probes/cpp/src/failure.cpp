#include "failure.hpp"

#include <cstddef>

namespace threadping {

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request: return "bad-request";
    case ErrorCode::unknown_experiment: return "unknown-experiment";
    case ErrorCode::unknown_mechanism: return "unknown-mechanism";
    case ErrorCode::unknown_param: return "unknown-param";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::pin_failed: return "pin-failed";
    case ErrorCode::stalled: return "stalled";
    case ErrorCode::sequence_broken: return "sequence-broken";
    case ErrorCode::count_wrong: return "count-wrong";
    case ErrorCode::internal: break;
  }
  return "internal";
}

int exit_status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request:
    case ErrorCode::unknown_experiment:
    case ErrorCode::unknown_mechanism:
    case ErrorCode::unknown_param:
    case ErrorCode::unsupported: return 2;
    default: return 1;
  }
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  return digits;
}

}  // namespace threadping

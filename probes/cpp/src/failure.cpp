#include "failure.hpp"

#include <array>
#include <cstddef>
#include <new>

namespace threadping {
namespace {

/// In the order of ErrorCode.
constexpr std::array<const char*, 10> kNames{
    "bad-request", "unknown-experiment", "unknown-mechanism", "unknown-param", "unsupported", "pin-failed",
    "stalled",     "sequence-broken",    "count-wrong",       "internal"};

constexpr const char* kNoMemory =
    "The memory that this process may take is used up: raise its limit (the cgroup's memory.max, ulimit -v), or ask "
    "for "
    "fewer threads or lines, or for shorter windows.";

}  // namespace

const char* name_of(ErrorCode code) { return kNames.at(static_cast<std::size_t>(code)); }

int exit_status_of(ErrorCode code) { return code <= ErrorCode::unsupported ? 2 : 1; }

Failure failure_in_hand() {
  try {
    throw;
  } catch (const Failure& failure) {
    return {failure.code(), failure.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::unsupported, kNoMemory};
  } catch (const std::length_error&) {
    return {ErrorCode::unsupported, kNoMemory};
  } catch (const std::exception& error) {
    return {ErrorCode::internal, error.what()};
  } catch (...) {
    return {ErrorCode::internal, "Something was thrown that is no exception."};
  }
}

}  // namespace threadping

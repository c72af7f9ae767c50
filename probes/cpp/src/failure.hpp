#pragma once

#include <stdexcept>
#include <string>

namespace threadping {

/// The error codes of the contract (contract/result.schema.json), those first that say that a request cannot be met as
/// written.
enum class ErrorCode {
  bad_request,
  unknown_experiment,
  unknown_mechanism,
  unknown_param,
  unsupported,
  pin_failed,
  stalled,
  sequence_broken,
  count_wrong,
  internal,
};

/// The code as the contract spells it.
const char* name_of(ErrorCode code);

/// The probe's exit status for a code: 2 where the request cannot be met as written, 1 where measuring failed.
int exit_status_of(ErrorCode code);

/// Why a trial could not be measured, with a sentence for a person.
class Failure : public std::runtime_error {
 public:
  Failure(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// What the exception that is being handled means: a Failure is one already; want of memory is said in a sentence;
/// whatever nobody foresaw is an internal one.
Failure failure_in_hand();

/// The threads did not end although they were stopped. They still use the trial's memory.
class Unstoppable : public Failure {
 public:
  using Failure::Failure;
};

}  // namespace threadping

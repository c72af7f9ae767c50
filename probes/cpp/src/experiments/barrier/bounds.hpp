#pragma once

#include <cstdint>

#include "failure.hpp"
#include "numbers.hpp"

/// What a round may be, for the barriers of all languages.
namespace threadping::barrier {

/// Some 0.1 s: no worker looks whether it is stopped before it has done its part of a round.
inline constexpr std::uint64_t kMostStepsARound = 100'000'000;

/// The steps of a worker's job: `imbalance` percent more of the last worker's, of those between in proportion.
inline std::uint64_t steps_of(std::uint64_t work, std::uint64_t imbalance, std::uint64_t worker,
                              std::uint64_t workers) {
  return work + work * imbalance * worker / (workers > 1 ? workers - 1 : 1) / 100;
}

/// Throws Failure(bad_request) for a round that takes a worker too long to be stopped in time.
inline void check_round(std::uint64_t workers, std::uint64_t jobs, std::uint64_t work, std::uint64_t imbalance) {
  const std::uint64_t steps = (jobs + workers - 1) / workers * steps_of(work, imbalance, workers - 1, workers);
  if (steps > kMostStepsARound)
    throw Failure(ErrorCode::bad_request, "A round of " + with_commas(steps) +
                                              " steps for one worker is too long: at most " +
                                              with_commas(kMostStepsARound) + ", by less work or fewer jobs.");
}

}  // namespace threadping::barrier

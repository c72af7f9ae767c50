#pragma once

#include <cstdint>
#include <string>

#include "failure.hpp"
#include "signal/loop.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

/// Throws Failure(sequence_broken) if a loop ended early at hand-over `expected` and was not stopped.
inline void refuse_broken_sequence(const Taken& taken, std::uint64_t expected) {
  if (taken.seen >= kPoison) return;
  throw Failure(ErrorCode::sequence_broken, "Hand-over " + std::to_string(expected) + " was due, but " +
                                                std::to_string(taken.seen) + " was there: one was lost or doubled.");
}

}  // namespace threadping::signal

#pragma once

#include <optional>

namespace threadping::platform {

/// What it takes to signal from one of two CPUs to the other now (ns): half a round trip. Two threads of their own, one
/// on each, compare-and-swap a number to and fro on each of 64 lines, as `cas-one-line` does: the mean of the middle
/// half of the lines. It takes 0.5 ms where a handoff takes 26 ns, and 20 ms at most. nullopt where the two did not
/// come to its end until then, or may not run there.
std::optional<double> ping(int one, int other);

}  // namespace threadping::platform

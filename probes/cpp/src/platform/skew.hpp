#pragma once

#include <cstdint>
#include <optional>

#include "platform/clock.hpp"

namespace threadping::platform {

/// How far one CPU's clock is ahead of another's, at least and at most.
struct Skew {
  std::int64_t least_ns = 0;
  std::int64_t most_ns = 0;
};

using Clock = std::uint64_t (*)();

/// How far the clock on CPU `other` is ahead of the clock on CPU `one`. Two threads of their own, one on each, exchange
/// readings for some 3 ms once both run: the one reads t1 and asks, the other reads t2 and answers with it, the one
/// reads t3. The answer was read between, so that its clock is ahead by t2 - t3 at least and by t2 - t1 at most; the
/// narrowest bounds of all exchanges hold (Cristian, "Probabilistic clock synchronization", Distributed Computing 3,
/// 1989). nullopt where the two did not come to exchange anything.
std::optional<Skew> measure_skew(int one, int other, Clock clock_of_one = now_ns, Clock clock_of_other = now_ns);

/// What both say of the same two clocks: the bounds of one and of the other hold together. Where they are disjoint the
/// clocks drifted, and it is all between the two. Where only one says anything, that.
std::optional<Skew> intersection(const std::optional<Skew>& one, const std::optional<Skew>& other);

/// How far apart the two clocks are for certain; 0 where they may be the same.
std::int64_t certain_ns(const Skew& skew);

}  // namespace threadping::platform

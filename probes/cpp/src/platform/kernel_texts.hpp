#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace threadping::platform {

/// How long a thread was ready to run without a CPU, in nanoseconds: the second number of its schedstat
/// (Documentation/scheduler/sched-stats.rst). Absent where it is not told.
std::optional<std::uint64_t> run_delay_in(std::string_view schedstat);

/// The soft interrupts of a CPU, all kinds together: its column in /proc/softirqs, which has one for each possible CPU.
/// Absent where it is not told.
std::optional<std::uint64_t> soft_interrupts_in(std::string_view softirqs, int cpu);

}  // namespace threadping::platform

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "platform/pinning.hpp"

namespace threadping::platform {

/// What the kernel has counted for one thread.
struct ThreadCounters {
  std::uint64_t cpu_ns = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::optional<std::uint64_t> migrations = std::nullopt;  ///< Absent where the kernel does not report it.
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
};

/// The calling thread's counters since it started, but for the migrations: two system calls.
ThreadCounters read_quick_counters();

/// What was counted so far for all threads of this process together whose names begin so, by proc(5). One that has
/// ended counts no more.
ThreadCounters read_counters_of_all(const std::string& beginning);

/// How long some threads have run, and whether one of them runs now or waits for a CPU.
struct Activity {
  std::uint64_t cpu_ns = 0;
  bool awake = false;
};

/// Reads this of all threads of this process whose names begin in one of these ways, by proc(5): some microseconds a
/// thread. Absent where there is none.
std::optional<Activity> read_activity_of(std::span<const std::string> beginnings);

/// How often somebody took the CPU from the calling thread: one system call.
std::uint64_t read_involuntary_switches();

/// How often the calling thread has moved to another CPU, from /proc/thread-self/sched ("se.nr_migrations : 12",
/// kernel/sched/debug.c): some tens of microseconds. Absent where the kernel has no such file.
std::optional<std::uint64_t> read_migrations();

/// What a counter rose by; absent where it was not read twice, and never negative: steal time has been seen to step
/// back on live migration.
std::optional<std::uint64_t> difference(std::optional<std::uint64_t> end, std::optional<std::uint64_t> start);

/// What happened between two readings; never negative, although some of the threads have ended.
ThreadCounters operator-(const ThreadCounters& end, const ThreadCounters& start);

/// What the kernel has counted for the machine; absent where it does not tell.
struct MachineCounters {
  std::optional<std::uint64_t> steal_ns;    ///< Time that the hypervisor kept the given CPUs from running.
  std::optional<std::uint64_t> interrupts;  ///< On all CPUs.
  std::optional<std::uint64_t> energy_uj;   ///< All packages', in microjoules; only root may ask on most machines.
};

/// `powercap`: where the kernel reports the energy (Documentation/power/powercap/powercap.rst).
MachineCounters read_machine_counters(const CpuSet& cpus, const std::string& powercap = "/sys/class/powercap");
/// The counters in a text like /proc/stat, without the energy.
MachineCounters machine_counters_in(std::string_view stat, const CpuSet& cpus);
MachineCounters operator-(const MachineCounters& end, const MachineCounters& start);

}  // namespace threadping::platform

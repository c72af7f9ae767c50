#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/descriptor.hpp"
#include "platform/pinning.hpp"

namespace threadping::platform {

/// A small file of the kernel that is read again and again, each time from its start and with one system call, into
/// memory that is taken when it is opened.
class KeptOpen {
 public:
  /// Where it cannot be opened there is nothing to read.
  explicit KeptOpen(const std::string& path);

  /// What is in it now, until it is read again; nothing where it cannot be read.
  [[nodiscard]] std::string_view read();

 private:
  Descriptor descriptor_;
  std::vector<char> buffer_;
};

/// How long a thread was ready to run without a CPU, in nanoseconds: the second number of its schedstat
/// (Documentation/scheduler/sched-stats.rst). Absent where the kernel does not report it.
std::optional<std::uint64_t> run_delay_in(std::string_view schedstat);

/// The soft interrupts of a CPU, all kinds together: its column in /proc/softirqs, which has one for each possible CPU,
/// named in its first line: their numbers may have holes. Absent where the kernel does not report it.
std::optional<std::uint64_t> soft_interrupts_in(std::string_view softirqs, int cpu);

/// The CPUs of a list as the kernel writes it: `0-3,8`. What is none is left out.
CpuSet cpus_in(std::string_view list);

/// The CPUs of the list that is in a file; none where it cannot be read.
CpuSet cpus_in_file(const std::string& path);

/// The NUMA nodes, ascending, on which the mapping that holds this address has pages, as /proc/self/numa_maps reports
/// (proc(5)); nullopt where the kernel does not.
std::optional<std::vector<int>> nodes_of(const std::byte* address);

/// The nodes in the text of /proc/self/numa_maps.
std::optional<std::vector<int>> nodes_in(std::string_view numa_maps, std::uint64_t address);

/// How long CPU quotas have stopped the threads of this process: those of its control group and of the groups above it
/// (Documentation/admin-guide/cgroup-v2.rst: cpu.stat; in version 1 Documentation/scheduler/sched-bwc.rst).
class Quotas {
 public:
  explicit Quotas(const std::string& root = "");

  /// In nanoseconds, summed over groups and CPUs, up to the latest time that they went on; absent where none has a
  /// quota.
  [[nodiscard]] std::optional<std::uint64_t> read();

 private:
  std::vector<KeptOpen> groups_;
};

/// How long a CPU has slept: halted, or deeper, but not where it only polled for work (stateN/time). The kernel counts
/// a state, in whole microseconds, when the CPU has come out of it, so the way out is in it, and with it, in a virtual
/// machine, the time until the hypervisor has let the CPU run again.
class IdleTime {
 public:
  explicit IdleTime(int cpu, const std::string& root = "/sys/devices/system/cpu");

  [[nodiscard]] bool known() const { return !times_.empty(); }

  /// In nanoseconds, since the machine was started; absent where the kernel does not report it.
  [[nodiscard]] std::optional<std::uint64_t> read();

 private:
  std::vector<KeptOpen> times_;
};

/// Finds in which idle state a CPU was, by how often it has left each
/// (Documentation/admin-guide/pm/cpuidle.rst: stateN/usage, the deeper the greater N).
class IdleStates {
 public:
  explicit IdleStates(int cpu, const std::string& root = "/sys/devices/system/cpu");
  // Not inline: every player of a sender would contain them.
  IdleStates(IdleStates&& other) noexcept;
  IdleStates& operator=(IdleStates&& other) noexcept;
  IdleStates(const IdleStates&) = delete;
  IdleStates& operator=(const IdleStates&) = delete;
  ~IdleStates();

  /// Whether the kernel reports them: in a virtual machine it mostly does not.
  [[nodiscard]] bool known() const { return !states_.empty(); }

  /// How many states are deeper than the deepest that the CPU has left since the last look: 0 of the deepest there is,
  /// and as many as there are where it left none.
  std::uint64_t look();

 private:
  struct State {
    KeptOpen usage;
    std::uint64_t left = 0;
  };
  std::vector<State> states_;
};

}  // namespace threadping::platform

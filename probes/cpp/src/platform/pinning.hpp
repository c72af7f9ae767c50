#pragma once

#include <sched.h>

#include <array>
#include <optional>
#include <vector>

namespace threadping::platform {

/// Maximum number of CPUs that a Linux kernel is built for (CONFIG_NR_CPUS, MAXSMP).
inline constexpr int kMostCpus = 8192;

/// CPU numbers, ascending.
using CpuSet = std::vector<int>;

/// A set of CPUs as the kernel takes and gives it; another process can read it.
class CpuMask {
 public:
  void set(const CpuSet& cpus);
  [[nodiscard]] CpuSet cpus() const;
  cpu_set_t* data() { return mask_.data(); }

 private:
  std::array<cpu_set_t, kMostCpus / CPU_SETSIZE> mask_{};
};

/// The CPUs of either set.
CpuSet united(const CpuSet& one, const CpuSet& other);

/// The CPUs that the calling thread may use, read from the kernel.
CpuSet allowed_cpus();

/// Pins the calling thread, and only it, to these CPUs. The pin is read back: some sandboxes accept it and ignore it.
/// Returns what was read back. Throws Failure(pin_failed).
CpuSet pin_this_thread(const CpuSet& cpus);

/// Pins this thread to one CPU; nullopt leaves it to the scheduler.
CpuSet pin_this_thread(std::optional<int> cpu);

/// Pins every thread of this process to all of `cpus`, as taskset does before it starts one; threads that are started
/// later inherit it. Goes on until no thread has come up that may have inherited something else (a virtual machine's
/// come and go). Empty leaves them to the scheduler. Read back as above. Throws Failure(pin_failed).
CpuSet pin_process(const CpuSet& cpus);

}  // namespace threadping::platform

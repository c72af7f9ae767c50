#include "platform/pinning.hpp"

#include <sched.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "failure.hpp"

namespace threadping::platform {
namespace {

/// More CPUs than any Linux kernel is built for (CONFIG_NR_CPUS is at most 8192).
constexpr int kMostCpus = 65536;

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using OwnedCpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

OwnedCpuSet empty_set() {
  OwnedCpuSet set(CPU_ALLOC(kMostCpus));
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMostCpus), set.get());
  return set;
}

std::string in_words(const CpuSet& cpus) {
  std::string words;
  for (const int cpu : cpus) words += (words.empty() ? "" : ", ") + std::to_string(cpu);
  return words;
}

[[noreturn]] void refuse(int cpu, const CpuSet& allowed, const std::string& why) {
  throw Failure(ErrorCode::pin_failed, "CPU " + std::to_string(cpu) + " cannot be used here (" + why +
                                           "): this process may use CPUs " + in_words(allowed) + ".");
}

}  // namespace

CpuSet allowed_cpus() {
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  const OwnedCpuSet set = empty_set();
  if (sched_getaffinity(0, bytes, set.get()) != 0)
    throw Failure(ErrorCode::internal, std::string("The affinity mask cannot be read: ") + std::strerror(errno) + ".");
  CpuSet cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
  return cpus;
}

CpuSet pin_this_thread(std::optional<int> cpu) {
  CpuSet allowed = allowed_cpus();
  if (!cpu) return allowed;
  const OwnedCpuSet set = empty_set();
  CPU_SET_S(*cpu, CPU_ALLOC_SIZE(kMostCpus), set.get());
  if (sched_setaffinity(0, CPU_ALLOC_SIZE(kMostCpus), set.get()) != 0) refuse(*cpu, allowed, std::strerror(errno));
  CpuSet now = allowed_cpus();
  if (now != CpuSet{*cpu}) refuse(*cpu, now, "the pin was accepted but did not hold");
  return now;
}

}  // namespace threadping::platform

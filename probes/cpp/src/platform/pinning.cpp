#include "platform/pinning.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>
#include <string>

#include "failure.hpp"
#include "platform/text_files.hpp"

namespace threadping::platform {
namespace {

std::string in_words(const CpuSet& cpus) {
  std::string words;
  for (const int cpu : cpus) words += (words.empty() ? "" : ", ") + std::to_string(cpu);
  return words;
}

[[noreturn]] void refuse(const CpuSet& cpus, const CpuSet& allowed, const std::string& why) {
  throw Failure(ErrorCode::pin_failed, (cpus.size() == 1 ? "CPU " : "CPUs ") + in_words(cpus) +
                                           " cannot be used here (" + why + "): this process may use CPUs " +
                                           in_words(allowed) + ".");
}

/// Pins a thread, 0 for the calling one, whose affinity is read back. A thread that has ended cannot be pinned, which
/// is no error.
CpuSet pin(pid_t thread, const CpuSet& cpus) {
  const CpuSet allowed = allowed_cpus();
  CpuMask mask;
  mask.set(cpus);
  if (sched_setaffinity(thread, sizeof mask, mask.data()) != 0 && errno != ESRCH)
    refuse(cpus, allowed, std::strerror(errno));
  CpuSet now = allowed_cpus();
  if (thread == 0 && now != cpus) refuse(cpus, now, "the pin was accepted but did not hold");
  return now;
}

/// The threads of this process, by the kernel's numbers.
std::set<int> threads() {
  std::set<int> all;
  for (const std::string& number : names_in("/proc/self/task")) all.insert(std::stoi(number));
  return all;
}

}  // namespace

CpuSet united(const CpuSet& one, const CpuSet& other) {
  CpuSet all;
  std::ranges::set_union(one, other, std::back_inserter(all));
  return all;
}

void CpuMask::set(const CpuSet& cpus) {
  for (const int cpu : cpus) CPU_SET_S(cpu, sizeof mask_, mask_.data());
}

CpuSet CpuMask::cpus() const {
  CpuSet cpus;
  for (int cpu = 0; cpu < kMostCpus; ++cpu)
    if (CPU_ISSET_S(cpu, sizeof mask_, mask_.data())) cpus.push_back(cpu);
  return cpus;
}

CpuSet allowed_cpus() {
  CpuMask mask;
  if (sched_getaffinity(0, sizeof mask, mask.data()) != 0)
    throw Failure(ErrorCode::internal, std::string("The affinity mask cannot be read: ") + std::strerror(errno) + ".");
  return mask.cpus();
}

CpuSet pin_this_thread(const CpuSet& cpus) { return pin(0, cpus); }

CpuSet pin_this_thread(std::optional<int> cpu) { return cpu ? pin(0, {*cpu}) : allowed_cpus(); }

CpuSet pin_process(const CpuSet& cpus) {
  if (cpus.empty()) return allowed_cpus();
  std::set<int> pinned;
  for (std::set<int> all = threads(); all != pinned; all = threads()) {
    for (const int thread : all) pin(thread, cpus);
    pinned = all;
  }
  return pin(0, cpus);
}

}  // namespace threadping::platform

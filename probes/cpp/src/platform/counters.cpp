#include "platform/counters.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace threadping::platform {

std::optional<std::uint64_t> difference(std::optional<std::uint64_t> end, std::optional<std::uint64_t> start) {
  if (!end || !start) return std::nullopt;
  return *end - std::min(*end, *start);
}

namespace {

/// The number after a word at the start of a line of a thread's file, or the first of all.
std::optional<std::uint64_t> number_in(const std::filesystem::path& file, const std::string& word) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(word))
      return std::strtoull(line.c_str() + (word.empty() ? 0 : line.find(':') + 1), nullptr, 10);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> read_migrations() { return number_in("/proc/thread-self/sched", "se.nr_migrations"); }

ThreadCounters read_counters_of_all(const std::string& beginning) {
  ThreadCounters sum{.migrations = 0};
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    if (std::ifstream comm(task.path() / "comm"); !std::getline(comm, name) || !name.starts_with(beginning)) continue;
    std::ifstream stat(task.path() / "stat");
    stat.ignore(1 << 10, ')');
    std::vector<std::string> words{std::istream_iterator<std::string>(stat), {}};
    words.resize(10);
    sum.cpu_ns += number_in(task.path() / "schedstat", "").value_or(0);
    sum.voluntary_switches += number_in(task.path() / "status", "voluntary_ctxt_switches").value_or(0);
    sum.involuntary_switches += number_in(task.path() / "status", "nonvoluntary_ctxt_switches").value_or(0);
    sum.minor_faults += std::strtoull(words[7].c_str(), nullptr, 10);
    sum.major_faults += std::strtoull(words[9].c_str(), nullptr, 10);
    *sum.migrations += number_in(task.path() / "sched", "se.nr_migrations").value_or(0);
  }
  return sum;
}

std::uint64_t read_involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

ThreadCounters read_quick_counters() {
  ThreadCounters counters;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  counters.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  counters.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  counters.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  counters.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  timespec cpu{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  counters.cpu_ns = static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(cpu.tv_nsec);
  return counters;
}

ThreadCounters operator-(const ThreadCounters& end, const ThreadCounters& start) {
  const auto risen = [&](auto counter) { return end.*counter - std::min(end.*counter, start.*counter); };
  return {
      .cpu_ns = risen(&ThreadCounters::cpu_ns),
      .voluntary_switches = risen(&ThreadCounters::voluntary_switches),
      .involuntary_switches = risen(&ThreadCounters::involuntary_switches),
      .migrations = difference(end.migrations, start.migrations),
      .minor_faults = risen(&ThreadCounters::minor_faults),
      .major_faults = risen(&ThreadCounters::major_faults),
  };
}

namespace {

/// Of each package, intel-rapl:N, which AMD's have too; what is within one, intel-rapl:N:M, is counted there.
std::optional<std::uint64_t> read_energy(const std::filesystem::path& powercap) {
  std::optional<std::uint64_t> sum;
  for (int package = 0;; ++package) {
    std::ifstream file(powercap / ("intel-rapl:" + std::to_string(package)) / "energy_uj");
    std::uint64_t energy_uj = 0;
    if (!(file >> energy_uj)) return sum;
    sum = sum.value_or(0) + energy_uj;
  }
}

std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace

MachineCounters read_machine_counters(const CpuSet& cpus, const std::string& powercap) {
  std::ifstream stat("/proc/stat");
  MachineCounters counters = machine_counters_in(stat, cpus);
  counters.energy_uj = read_energy(powercap);
  return counters;
}

MachineCounters machine_counters_in(std::istream& stat, const CpuSet& cpus) {
  const auto ns_per_tick = 1'000'000'000U / static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  MachineCounters counters;
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (std::uint64_t total = 0; name == "intr" && words >> total) counters.interrupts = total;
    const std::optional<int> cpu = name.starts_with("cpu") ? whole_number(name.substr(3)) : std::nullopt;
    if (!cpu || !std::ranges::binary_search(cpus, *cpu)) continue;
    std::uint64_t ticks = 0;  // the eighth figure is steal (Documentation/filesystems/proc.rst, 1.7)
    int figures = 0;
    while (figures < 8 && words >> ticks) ++figures;
    if (figures == 8) counters.steal_ns = counters.steal_ns.value_or(0) + ticks * ns_per_tick;
  }
  return counters;
}

/// A counter of energy begins again at 0 after some minutes or hours: what is not known then is no 0.
MachineCounters operator-(const MachineCounters& end, const MachineCounters& start) {
  return {.steal_ns = difference(end.steal_ns, start.steal_ns),
          .interrupts = difference(end.interrupts, start.interrupts),
          .energy_uj = end.energy_uj < start.energy_uj ? std::nullopt : difference(end.energy_uj, start.energy_uj)};
}

}  // namespace threadping::platform

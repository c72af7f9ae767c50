#include "platform/counters.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string_view>
#include <utility>

#include "platform/text_files.hpp"

namespace threadping::platform {

std::optional<std::uint64_t> difference(std::optional<std::uint64_t> end, std::optional<std::uint64_t> start) {
  if (!end || !start) return std::nullopt;
  return *end - std::min(*end, *start);
}

namespace {

/// The number after a word at the start of a line of a thread's file, or the first of all.
std::optional<std::uint64_t> number_in(const std::string& file, std::string_view word) {
  const std::string text = read_text(file).value_or("");
  std::string_view left = text;
  while (auto line = next_line(left)) {
    if (!line->starts_with(word)) continue;
    if (!word.empty()) line->remove_prefix(line->find(':') + 1);
    return next_number(*line);
  }
  return std::nullopt;
}

/// What follows the second word of a thread's stat (proc(5)): its name, in brackets, which may hold spaces.
std::string_view after_name(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  return end == std::string_view::npos ? std::string_view() : stat.substr(end + 1);
}

/// The minor and the major page faults in a thread's stat, its tenth and twelfth word.
std::pair<std::uint64_t, std::uint64_t> faults_in(std::string_view stat) {
  stat = after_name(stat);
  for (int word = 3; word < 10; ++word) next_word(stat);
  const std::uint64_t minor = next_number(stat).value_or(0);
  next_word(stat);
  return {minor, next_number(stat).value_or(0)};
}

}  // namespace

std::optional<std::uint64_t> read_migrations() { return number_in("/proc/thread-self/sched", "se.nr_migrations"); }

ThreadCounters read_counters_of_all(const std::string& beginning) {
  ThreadCounters sum{.migrations = 0};
  for (const std::string& number : names_in("/proc/self/task")) {
    const std::string task = "/proc/self/task/" + number;
    const auto name = read_text(task + "/comm");
    if (!name || !name->starts_with(beginning)) continue;
    const auto [minor, major] = faults_in(read_text(task + "/stat").value_or(""));
    sum.cpu_ns += number_in(task + "/schedstat", "").value_or(0);
    sum.voluntary_switches += number_in(task + "/status", "voluntary_ctxt_switches").value_or(0);
    sum.involuntary_switches += number_in(task + "/status", "nonvoluntary_ctxt_switches").value_or(0);
    sum.minor_faults += minor;
    sum.major_faults += major;
    *sum.migrations += number_in(task + "/sched", "se.nr_migrations").value_or(0);
  }
  return sum;
}

std::optional<Activity> read_activity_of(std::span<const std::string> beginnings) {
  std::optional<Activity> sum;
  for (const std::string& number : names_in("/proc/self/task")) {
    const std::string task = "/proc/self/task/" + number;
    const std::string name = read_text(task + "/comm").value_or("");
    if (std::ranges::none_of(beginnings, [&](const std::string& each) { return name.starts_with(each); })) continue;
    if (!sum) sum = Activity{};
    sum->cpu_ns += number_in(task + "/schedstat", "").value_or(0);
    sum->awake |= after_name(read_text(task + "/stat").value_or("")).starts_with(" R");
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

/// The energy of all packages, intel-rapl:N, which AMD's have too; what is within one, intel-rapl:N:M, is counted
/// there.
std::optional<std::uint64_t> read_energy(const std::string& powercap) {
  std::optional<std::uint64_t> sum;
  for (int package = 0;; ++package) {
    const auto energy_uj = number_in(powercap + "/intel-rapl:" + std::to_string(package) + "/energy_uj", "");
    if (!energy_uj) return sum;
    sum = sum.value_or(0) + *energy_uj;
  }
}

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

MachineCounters read_machine_counters(const CpuSet& cpus, const std::string& powercap) {
  MachineCounters counters = machine_counters_in(read_text("/proc/stat").value_or(""), cpus);
  counters.energy_uj = read_energy(powercap);
  return counters;
}

MachineCounters machine_counters_in(std::string_view stat, const CpuSet& cpus) {
  const auto ns_per_tick = 1'000'000'000U / static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  MachineCounters counters;
  while (auto words = next_line(stat)) {
    const std::string_view name = next_word(*words);
    if (name == "intr") counters.interrupts = next_number(*words);
    const std::optional<int> cpu = name.starts_with("cpu") ? whole_number(name.substr(3)) : std::nullopt;
    if (!cpu || !std::ranges::binary_search(cpus, *cpu)) continue;
    for (int figure = 1; figure < 8; ++figure) next_number(*words);
    if (const auto ticks = next_number(*words))  // the eighth is steal (Documentation/filesystems/proc.rst, 1.7)
      counters.steal_ns = counters.steal_ns.value_or(0) + *ticks * ns_per_tick;
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

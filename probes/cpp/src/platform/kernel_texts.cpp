#include "platform/kernel_texts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "platform/text_files.hpp"

namespace threadping::platform {
namespace {

/// The number at this place of a text's first line, counted from 0.
std::optional<std::uint64_t> number_at(std::string_view text, int place) {
  std::string_view line = text.substr(0, text.find('\n'));
  std::optional<std::uint64_t> number;
  for (int at = 0; at <= place; ++at) {
    number = next_number(line);
    if (!number) return std::nullopt;
  }
  return number;
}

/// A CPU's column in a table whose first line is "CPU0 CPU1 CPU4".
std::optional<int> column_of(std::string_view table, int cpu) {
  const std::string wanted = "CPU" + std::to_string(cpu);
  std::string_view left = table.substr(0, table.find('\n'));
  for (int column = 0;; ++column) {
    left.remove_prefix(std::min(left.find_first_not_of(' '), left.size()));
    const std::string_view name = left.substr(0, left.find(' '));
    if (name.empty()) return std::nullopt;
    if (name == wanted) return column;
    left.remove_prefix(name.size());
  }
}

/// "7f2c80000000 default anon=256 dirty=256 N0=200 N1=56 kernelpagesize_kB=4"
std::set<int> nodes_of_line(std::string_view line) {
  std::set<int> nodes;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (!word.starts_with('N')) continue;
    int node = 0;
    const auto [rest, error] = std::from_chars(word.data() + 1, word.data() + word.size(), node);
    if (error == std::errc() && node >= 0 && rest < word.data() + word.size() && *rest == '=') nodes.insert(node);
  }
  return nodes;
}

/// Where a line's mapping begins.
std::optional<std::uint64_t> start_of(std::string_view line) {
  std::uint64_t start = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), start, 16);
  return error == std::errc() ? std::optional(start) : std::nullopt;
}

/// The folders of a CPU's idle states, the deeper the later; none where the kernel does not report them.
std::vector<std::string> idle_states_of(int cpu, const std::string& root) {
  std::vector<std::string> states;
  const std::string folder = root + "/cpu" + std::to_string(cpu) + "/cpuidle/state";
  for (int state = 0; access((folder + std::to_string(state)).c_str(), R_OK) == 0; ++state)
    states.push_back(folder + std::to_string(state));
  return states;
}

/// The folder of each control group that this process is in and that may have a CPU quota, the innermost first.
std::vector<std::string> control_groups(const std::string& root) {
  std::vector<std::string> folders;
  const std::string text = read_text(root + "/proc/self/cgroup").value_or("");
  std::string_view left = text;
  while (const auto line = next_line(left)) {  // "4:cpu,cpuacct:/a/b", or "0::/a/b" of version 2
    const std::size_t first = line->find(':');
    const std::size_t second = line->find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers(line->substr(first + 1, second - first - 1));
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    const std::string mount = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + controllers);
    std::string path(line->substr(second + 1));
    for (; path.size() > 1; path.resize(path.rfind('/'))) folders.push_back(mount + path);
    folders.push_back(mount);
  }
  return folders;
}

bool has_quota(const std::string& group) {
  std::string quota = read_text(group + "/cpu.max").value_or("");
  if (quota.empty()) quota = read_text(group + "/cpu.cfs_quota_us").value_or("");
  std::string_view left = quota;
  return next_number(left).value_or(0) > 0;
}

/// Whether in this state the CPU looks for work instead of sleeping.
bool polls(const std::string& state) { return read_text(state + "/name").value_or("").starts_with("POLL"); }

}  // namespace

/// The content may grow by as much again.
KeptOpen::KeptOpen(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(128) {
  while (read().size() > buffer_.size() / 2) buffer_.resize(2 * buffer_.size());
}

std::string_view KeptOpen::read() {
  const ssize_t got = pread(descriptor_.get(), buffer_.data(), buffer_.size(), 0);
  return got > 0 ? std::string_view(buffer_.data(), static_cast<std::size_t>(got)) : std::string_view();
}

Quotas::Quotas(const std::string& root) {
  for (const std::string& group : control_groups(root))
    if (has_quota(group)) groups_.emplace_back(group + "/cpu.stat");
}

std::optional<std::uint64_t> Quotas::read() {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 2> kCounters{
      {{"throttled_usec ", 1000}, {"throttled_time ", 1}}};
  std::optional<std::uint64_t> sum;
  for (KeptOpen& group : groups_) {
    const std::string_view text = group.read();
    for (const auto& [name, unit_ns] : kCounters) {
      const std::size_t at = text.find(name);
      if (at == std::string_view::npos) continue;
      std::string_view left = text.substr(at + name.size());
      if (const auto number = next_number(left)) sum = sum.value_or(0) + *number * unit_ns;
    }
  }
  return sum;
}

std::optional<std::uint64_t> run_delay_in(std::string_view schedstat) { return number_at(schedstat, 1); }

std::optional<std::uint64_t> soft_interrupts_in(std::string_view softirqs, int cpu) {
  const std::optional<int> column = column_of(softirqs, cpu);
  if (!column) return std::nullopt;
  std::optional<std::uint64_t> sum;
  for (std::size_t colon = softirqs.find(':'); colon != std::string_view::npos; colon = softirqs.find(':')) {
    softirqs.remove_prefix(colon + 1);
    if (const auto number = number_at(softirqs, *column)) sum = sum.value_or(0) + *number;
  }
  return sum;
}

CpuSet cpus_in(std::string_view list) {
  std::set<int> cpus;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    int first = 0;
    auto [rest, error] = std::from_chars(part.data(), part.data() + part.size(), first);
    int last = first;
    if (error == std::errc() && rest != part.end() && *rest == '-')
      error = std::from_chars(rest + 1, part.data() + part.size(), last).ec;
    if (error != std::errc()) continue;
    for (int cpu = std::max(first, 0); cpu <= std::min(last, kMostCpus - 1); ++cpu) cpus.insert(cpu);
  }
  return {cpus.begin(), cpus.end()};
}

CpuSet cpus_in_file(const std::string& path) { return cpus_in(read_text(path).value_or("")); }

std::optional<std::vector<int>> nodes_of(const std::byte* address) {
  return nodes_in(read_text("/proc/self/numa_maps").value_or(""), reinterpret_cast<std::uintptr_t>(address));
}

/// Mappings come in ascending order, each with its first address only.
std::optional<std::vector<int>> nodes_in(std::string_view numa_maps, std::uint64_t address) {
  std::string_view of_mapping;
  while (const auto line = next_line(numa_maps)) {
    const auto start = start_of(*line);
    if (!start || *start > address) break;
    of_mapping = *line;
  }
  const std::set<int> nodes = nodes_of_line(of_mapping);
  if (nodes.empty()) return std::nullopt;
  return std::vector<int>(nodes.begin(), nodes.end());
}

IdleTime::IdleTime(int cpu, const std::string& root) {
  for (const std::string& state : idle_states_of(cpu, root))
    if (!polls(state)) times_.emplace_back(state + "/time");
}

std::optional<std::uint64_t> IdleTime::read() {
  constexpr std::uint64_t kMicrosecond = 1000;
  std::optional<std::uint64_t> sum;
  for (KeptOpen& time : times_)
    if (const auto us = number_at(time.read(), 0)) sum = sum.value_or(0) + *us * kMicrosecond;
  return sum;
}

IdleStates::IdleStates(int cpu, const std::string& root) {
  for (const std::string& state : idle_states_of(cpu, root)) states_.push_back({.usage = KeptOpen(state + "/usage")});
  look();
}

IdleStates::IdleStates(IdleStates&& other) noexcept = default;
IdleStates& IdleStates::operator=(IdleStates&& other) noexcept = default;
IdleStates::~IdleStates() = default;

std::uint64_t IdleStates::look() {
  std::uint64_t deeper = states_.size();
  for (std::size_t at = 0; at < states_.size(); ++at) {
    State& state = states_[at];
    const std::string_view text = state.usage.read();
    std::uint64_t left = state.left;
    std::from_chars(text.data(), text.data() + text.size(), left);
    if (std::exchange(state.left, left) != left) deeper = states_.size() - 1 - at;
  }
  return deeper;
}

}  // namespace threadping::platform

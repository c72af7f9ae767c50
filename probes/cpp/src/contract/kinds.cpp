#include "contract/kinds.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/kernel_texts.hpp"
#include "platform/pinning.hpp"

namespace threadping::contract {
namespace {

using platform::CpuSet;
using Kinds = std::map<int, std::string>;

constexpr const char* kPerformance = "P";
constexpr const char* kEfficient = "E";
constexpr const char* kLowPower = "LP-E";

/// Intel's performance counters are of a kind of core, and list its CPUs; the last one from Arrow Lake on.
constexpr std::array<std::pair<const char*, const char*>, 3> kCounters{
    {{"cpu_core", kPerformance}, {"cpu_atom", kEfficient}, {"cpu_lowpower", kLowPower}}};

/// Capacities closer than that are those of one kind, whose cores differ in frequency, as hwloc too takes them.
constexpr double kAlike = 0.9;

struct Free {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Free>;

/// A kind as hwloc reports it: its CPUs, and what is known of them.
struct Kind {
  CpuSet cpus;
  std::map<std::string, std::string> facts;
};

std::vector<Kind> kinds_of(hwloc_topology_t topology) {
  std::vector<Kind> kinds(static_cast<std::size_t>(std::max(0, hwloc_cpukinds_get_nr(topology, 0))));
  const Bitmap cpus(hwloc_bitmap_alloc());
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    unsigned count = 0;
    hwloc_info_s* facts = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(at), cpus.get(), nullptr, &count, &facts, 0) != 0)
      continue;
    for (unsigned fact = 0; fact < count; ++fact) kinds[at].facts[facts[fact].name] = facts[fact].value;
    for (int cpu = -1; (cpu = hwloc_bitmap_next(cpus.get(), cpu)) >= 0;) kinds[at].cpus.push_back(cpu);
  }
  return kinds;
}

void name_all(Kinds& names, const CpuSet& cpus, const std::string& name) {
  for (const int cpu : cpus) names[cpu] = name;
}

Kinds by_counters(const std::string& root) {
  Kinds names;
  for (const auto& [counters, name] : kCounters)
    name_all(names, platform::cpus_in_file(root + "/sys/devices/" + counters + "/cpus"), name);
  return names;
}

Kinds by_type(const std::vector<Kind>& kinds) {
  Kinds names;
  for (const Kind& kind : kinds)
    if (const auto type = kind.facts.find("CoreType"); type != kind.facts.end())
      name_all(names, kind.cpus, type->second == "IntelAtom" ? kEfficient : kPerformance);
  return names;
}

/// The capacities there are, the greatest first, each with the first of those that are like it.
std::map<double, std::size_t, std::greater<>> ranks_of(const std::set<double, std::greater<>>& capacities) {
  std::map<double, std::size_t, std::greater<>> ranks;
  std::size_t rank = 0;
  double first = capacities.empty() ? 0 : *capacities.begin();
  for (const double capacity : capacities) {
    if (capacity < kAlike * first) {
      first = capacity;
      ++rank;
    }
    ranks[capacity] = rank;
  }
  return ranks;
}

std::string name_of_rank(std::size_t rank, std::size_t last) {
  if (rank == 0) return "big";
  if (rank == last) return "little";
  return last == 2 ? "medium" : "medium" + std::to_string(rank);
}

Kinds by_capacity(const std::vector<Kind>& kinds) {
  std::vector<std::pair<double, const CpuSet*>> with_capacity;
  std::set<double, std::greater<>> capacities;
  for (const Kind& kind : kinds)
    if (const auto capacity = kind.facts.find("LinuxCapacity"); capacity != kind.facts.end()) {
      with_capacity.emplace_back(std::strtod(capacity->second.c_str(), nullptr), &kind.cpus);
      capacities.insert(with_capacity.back().first);
    }
  const auto ranks = ranks_of(capacities);
  Kinds names;
  for (const auto& [capacity, cpus] : with_capacity)
    name_all(names, *cpus, name_of_rank(ranks.at(capacity), ranks.rbegin()->second));
  return names;
}

/// Intel's low-power cores do not share the last-level cache of the other ones.
void name_low_power(hwloc_topology_t topology, Kinds& names) {
  CpuSet without;
  bool of_others = false;
  for (const auto& [cpu, name] : names) {
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
    const bool l3 = object != nullptr && hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, object) != nullptr;
    if (name == kPerformance && l3) of_others = true;
    if (name == kEfficient && object != nullptr && !l3) without.push_back(cpu);
  }
  if (of_others) name_all(names, without, kLowPower);
}

bool differ(const Kinds& names) {
  return std::ranges::any_of(names, [&](const auto& one) { return one.second != names.begin()->second; });
}

}  // namespace

Kinds kinds_of_cores(hwloc_topology_t topology, const std::string& root) {
  const std::vector<Kind> kinds = kinds_of(topology);
  for (Kinds names : {by_counters(root), by_type(kinds), by_capacity(kinds)}) {
    name_low_power(topology, names);
    if (differ(names)) return names;
  }
  return {};
}

}  // namespace threadping::contract

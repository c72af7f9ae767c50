#include "contract/kinds.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "support/files.hpp"

namespace threadping::contract {
namespace {

using Kinds = std::map<int, std::string>;

/// A machine that hwloc makes up, with kinds of core as it would read them.
class Machine {
 public:
  explicit Machine(const char* synthetic) {
    hwloc_topology_init(&topology_);
    hwloc_topology_set_synthetic(topology_, synthetic);
    hwloc_topology_load(topology_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { hwloc_topology_destroy(topology_); }

  void tell(unsigned first, unsigned last, const char* name, const char* value) {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(cpus, first, static_cast<int>(last));
    hwloc_info_s fact{const_cast<char*>(name), const_cast<char*>(value)};
    hwloc_cpukinds_register(topology_, cpus, -1, 1, &fact, 0);
    hwloc_bitmap_free(cpus);
  }

  [[nodiscard]] Kinds kinds(const std::string& root = "/nowhere") const { return kinds_of_cores(topology_, root); }

 private:
  hwloc_topology_t topology_ = nullptr;
};

TEST(KindsOfCores, AreNotReportedWhereAllAreAlike) {
  Machine machine("package:1 l3:1 core:4 pu:1");
  EXPECT_EQ(machine.kinds(), Kinds{});
  machine.tell(0, 3, "CoreType", "IntelCore");
  EXPECT_EQ(machine.kinds(), Kinds{});
  machine.tell(0, 1, "FrequencyMaxMHz", "5000");  // cores that a turbo prefers
  EXPECT_EQ(machine.kinds(), Kinds{});
}

TEST(KindsOfCores, AreIntelsByTheirType) {
  Machine machine("package:1 l3:1 core:4 pu:1");
  machine.tell(0, 1, "CoreType", "IntelCore");
  machine.tell(2, 3, "CoreType", "IntelAtom");
  EXPECT_EQ(machine.kinds(), (Kinds{{0, "P"}, {1, "P"}, {2, "E"}, {3, "E"}}));
}

TEST(KindsOfCores, AreThoseOfTheKernelsCountersBeforeTheirType) {
  const Machine machine("package:1 l3:1 core:4 pu:1");
  const tests::TemporaryDirectory root;
  for (const auto& [counters, cpus] : {std::pair{"cpu_core", "0-1"}, {"cpu_atom", "2"}, {"cpu_lowpower", "3"}}) {
    const auto folder = root / (std::string("sys/devices/") + counters);
    std::filesystem::create_directories(folder);
    tests::write_file(folder / "cpus", cpus);
  }
  EXPECT_EQ(machine.kinds(root / ""), (Kinds{{0, "P"}, {1, "P"}, {2, "E"}, {3, "LP-E"}}));
}

TEST(KindsOfCores, AreByCapacityOnOtherMachines) {
  Machine machine("package:1 l3:1 core:8 pu:1");
  machine.tell(0, 3, "LinuxCapacity", "160");
  machine.tell(4, 5, "LinuxCapacity", "500");
  machine.tell(6, 6, "LinuxCapacity", "1000");  // of the same kind as the one that is clocked a little higher
  machine.tell(7, 7, "LinuxCapacity", "1024");
  EXPECT_EQ(machine.kinds(), (Kinds{{0, "little"},
                                    {1, "little"},
                                    {2, "little"},
                                    {3, "little"},
                                    {4, "medium"},
                                    {5, "medium"},
                                    {6, "big"},
                                    {7, "big"}}));
}

TEST(KindsOfCores, AreAllAlikeWhereCapacitiesAreNearlyTheSame) {
  Machine machine("package:1 l3:1 core:2 pu:1");
  machine.tell(0, 0, "LinuxCapacity", "1000");
  machine.tell(1, 1, "LinuxCapacity", "1024");
  EXPECT_EQ(machine.kinds(), Kinds{});
}

TEST(KindsOfCores, OfSeveralMediumOnesHaveNumbers) {
  Machine machine("package:1 l3:1 core:4 pu:1");
  unsigned cpu = 0;
  for (const char* capacity : {"1024", "800", "500", "250"}) {
    machine.tell(cpu, cpu, "LinuxCapacity", capacity);
    ++cpu;
  }
  EXPECT_EQ(machine.kinds(), (Kinds{{0, "big"}, {1, "medium1"}, {2, "medium2"}, {3, "little"}}));
}

}  // namespace
}  // namespace threadping::contract

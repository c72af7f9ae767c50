#include "contract/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/pinning.hpp"
#include "support/files.hpp"

namespace threadping::contract {
namespace {

/// What is said of a machine that hwloc makes up.
nlohmann::json topology_of(const std::string& synthetic) {
  setenv("HWLOC_SYNTHETIC", synthetic.c_str(), 1);  // which hwloc reads each time
  const nlohmann::json topology = nlohmann::json::parse(describe_topology());
  unsetenv("HWLOC_SYNTHETIC");
  return topology;
}

/// The same of a machine whose files are below a folder.
nlohmann::json topology_below(const std::filesystem::path& root) {
  setenv("HWLOC_FSROOT", root.c_str(), 1);
  setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  const nlohmann::json topology = nlohmann::json::parse(describe_topology());
  unsetenv("HWLOC_FSROOT");
  unsetenv("HWLOC_COMPONENTS");
  return topology;
}

std::vector<nlohmann::json> column(const nlohmann::json& topology, const std::string& name) {
  std::vector<nlohmann::json> values;
  for (const nlohmann::json& cpu : topology["cpus"]) values.push_back(cpu[name]);
  return values;
}

TEST(Topology, OfThisMachineHoldsEveryAllowedCpu) {
  const nlohmann::json topology = nlohmann::json::parse(describe_topology());
  const std::vector<nlohmann::json> cpus = column(topology, "cpu");
  EXPECT_EQ(topology["allowed"], nlohmann::json(platform::allowed_cpus()));
  for (const nlohmann::json& cpu : topology["allowed"]) EXPECT_NE(std::ranges::find(cpus, cpu), cpus.end()) << cpu;
}

TEST(Topology, ReportsWhatTheCpusOfTwoPackagesShare) {
  const nlohmann::json topology = topology_of("package:2 numa:1 l3:1 l2:2 core:1 pu:2");
  EXPECT_EQ(column(topology, "cpu"), (std::vector<nlohmann::json>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(column(topology, "core"), (std::vector<nlohmann::json>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(topology, "l2"), (std::vector<nlohmann::json>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(topology, "l3"), (std::vector<nlohmann::json>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(topology, "node"), (std::vector<nlohmann::json>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(topology, "package"), (std::vector<nlohmann::json>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Topology, SaysNullWhereTheMachineDoesNotTell) {
  const nlohmann::json topology = topology_of("package:1 core:2 pu:1");
  EXPECT_EQ(column(topology, "l2"), (std::vector<nlohmann::json>{nullptr, nullptr}));
  EXPECT_EQ(column(topology, "l3"), (std::vector<nlohmann::json>{nullptr, nullptr}));
  EXPECT_EQ(column(topology, "core"), (std::vector<nlohmann::json>{0, 1}));
}

TEST(Topology, IsTheMaskWithNothingKnownWhereHwlocDies) {
  const tests::TemporaryDirectory root;
  std::filesystem::create_directories(root / "sys/devices/system/cpu/cpu0/topology");
  std::filesystem::create_directories(root / "sys/devices/system/node");  // empty, against which hwloc asserts
  tests::write_file(root / "sys/devices/system/cpu/cpu0/topology/core_cpus", "1");
  const nlohmann::json topology = topology_below(root / "");
  EXPECT_NE(topology["source"].get<std::string>().find("the affinity mask, because hwloc"), std::string::npos);
  EXPECT_EQ(column(topology, "cpu"), topology["allowed"].get<std::vector<nlohmann::json>>());
  for (const char* what : {"core", "l2", "l3", "node", "package"})
    for (const nlohmann::json& value : column(topology, what)) EXPECT_EQ(value, nlohmann::json(nullptr)) << what;
}

TEST(Topology, HasEveryCpuOfTheMaskThoughTheSystemDoesNotListIt) {
  const platform::CpuSet allowed = platform::allowed_cpus();
  if (allowed.back() == 0) GTEST_SKIP() << "there is CPU 0 alone";
  const nlohmann::json topology = topology_of("package:1 core:1 pu:1");  // CPU 0
  const nlohmann::json& last = topology["cpus"].back();
  EXPECT_EQ(last, (nlohmann::json{{"cpu", allowed.back()},
                                  {"core", nullptr},
                                  {"l2", nullptr},
                                  {"l3", nullptr},
                                  {"node", nullptr},
                                  {"package", nullptr}}));
  EXPECT_EQ(topology["allowed"], nlohmann::json(allowed));
}

}  // namespace
}  // namespace threadping::contract

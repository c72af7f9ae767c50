#include "contract/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/pinning.hpp"
#include "support/process.hpp"
#include "support/schema.hpp"

namespace threadping::contract {
namespace {

using Json = nlohmann::json;

/// What the probe says of a machine that hwloc makes up.
Json topology_of(const std::string& synthetic) {
  const tests::Ended ended = tests::run_probe({"topology"}, {"HWLOC_SYNTHETIC=" + synthetic});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(tests::complaints(ended.output, "topology"), std::vector<std::string>{});
  return Json::parse(ended.output);
}

std::vector<Json> column(const Json& topology, const std::string& name) {
  std::vector<Json> values;
  for (const Json& cpu : topology["cpus"]) values.push_back(cpu[name]);
  return values;
}

TEST(Topology, OfThisMachineKeepsTheContract) {
  EXPECT_EQ(tests::complaints(describe_topology(), "topology"), std::vector<std::string>{});
}

TEST(Topology, OfThisMachineHoldsEveryAllowedCpu) {
  const Json topology = Json::parse(describe_topology());
  const std::vector<Json> cpus = column(topology, "cpu");
  EXPECT_EQ(topology["allowed"], Json(platform::allowed_cpus()));
  for (const Json& cpu : topology["allowed"]) EXPECT_NE(std::ranges::find(cpus, cpu), cpus.end()) << cpu;
}

TEST(Topology, TellsWhatTheCpusOfTwoPackagesShare) {
  const Json topology = topology_of("package:2 numa:1 l3:1 l2:2 core:1 pu:2");
  EXPECT_EQ(column(topology, "cpu"), (std::vector<Json>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(column(topology, "core"), (std::vector<Json>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(topology, "l2"), (std::vector<Json>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(column(topology, "l3"), (std::vector<Json>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(topology, "node"), (std::vector<Json>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(column(topology, "package"), (std::vector<Json>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Topology, SaysNullWhereTheMachineDoesNotTell) {
  const Json topology = topology_of("package:1 core:2 pu:1");
  EXPECT_EQ(column(topology, "l2"), (std::vector<Json>{nullptr, nullptr}));
  EXPECT_EQ(column(topology, "l3"), (std::vector<Json>{nullptr, nullptr}));
  EXPECT_EQ(column(topology, "core"), (std::vector<Json>{0, 1}));
}

}  // namespace
}  // namespace threadping::contract

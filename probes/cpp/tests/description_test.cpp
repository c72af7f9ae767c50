#include "description.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "signal/signal.hpp"
#include "support/schema.hpp"

namespace threadping {
namespace {

TEST(Description, KeepsTheContract) {
  EXPECT_EQ(tests::complaints(describe_probe(), "describe"), std::vector<std::string>{});
}

TEST(Description, NamesTheToolchainAndItsFlags) {
  const auto message = nlohmann::json::parse(describe_probe());
  EXPECT_EQ(message["probe"], "cpp");
  EXPECT_EQ(message["version"], THREADPING_VERSION);
  EXPECT_EQ(message["toolchain"]["flags"][0], "-std=c++20");
}

TEST(Description, ListsEveryMechanismInOrder) {
  const auto message = nlohmann::json::parse(describe_probe());
  ASSERT_EQ(message["experiments"].size(), 1);
  const auto& experiment = message["experiments"][0];
  EXPECT_EQ(experiment["name"], signal::kExperiment);
  EXPECT_EQ(experiment["roles"], nlohmann::json({"ping", "pong"}));
  std::vector<std::string> described;
  for (const auto& mechanism : experiment["mechanisms"]) described.push_back(mechanism["name"]);
  std::vector<std::string> listed;
  for (const MechanismInfo& mechanism : signal::describe()) listed.emplace_back(mechanism.name);
  EXPECT_EQ(described, listed);
}

TEST(Description, EachMechanismSpeaksInSentences) {
  std::set<std::string_view> names;
  for (const MechanismInfo& mechanism : signal::describe()) {
    EXPECT_TRUE(names.insert(mechanism.name).second) << mechanism.name << " twice";
    EXPECT_EQ(mechanism.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
    EXPECT_TRUE(mechanism.summary.ends_with('.')) << mechanism.name;
    EXPECT_TRUE(mechanism.cpu_cost.ends_with('.')) << mechanism.name;
    EXPECT_GE(mechanism.lines, 1U) << mechanism.name;
  }
}

}  // namespace
}  // namespace threadping

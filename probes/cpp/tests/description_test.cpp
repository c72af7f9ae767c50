#include "description.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments.hpp"
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

TEST(Description, ListsEveryMechanismOfEveryExperimentInOrder) {
  const auto message = nlohmann::json::parse(describe_probe());
  ASSERT_EQ(message["experiments"].size(), experiments().size());
  for (std::size_t index = 0; index < experiments().size(); ++index) {
    std::vector<std::string> described;
    for (const auto& mechanism : message["experiments"][index]["mechanisms"]) described.push_back(mechanism["name"]);
    std::vector<std::string> listed;
    for (const MechanismInfo& mechanism : experiments()[index].describe()) listed.emplace_back(mechanism.name);
    EXPECT_EQ(described, listed);
  }
}

TEST(Description, SaysWhoTheThreadsAreAndHowMany) {
  const auto message = nlohmann::json::parse(describe_probe());
  const auto& signal = message["experiments"][0];
  EXPECT_EQ(signal["name"], "signal");
  EXPECT_EQ(signal["roles"], nlohmann::json({"ping", "pong"}));
  EXPECT_EQ(signal["threads"], nlohmann::json({2, 2}));
  const auto& lock = message["experiments"][1];
  EXPECT_EQ(lock["name"], "lock");
  EXPECT_EQ(lock["roles"], nlohmann::json({"worker"}));
  EXPECT_EQ(lock["threads"], nlohmann::json({1, 4096}));
}

TEST(Description, EachMechanismSpeaksInSentences) {
  for (const Experiment& experiment : experiments()) {
    std::set<std::string_view> names;
    for (const MechanismInfo& mechanism : experiment.describe()) {
      EXPECT_TRUE(names.insert(mechanism.name).second) << mechanism.name << " twice";
      EXPECT_EQ(mechanism.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
      EXPECT_TRUE(mechanism.summary.ends_with('.')) << mechanism.name;
      EXPECT_TRUE(mechanism.cpu_cost.ends_with('.')) << mechanism.name;
      EXPECT_FALSE(mechanism.timed.empty()) << mechanism.name;
      EXPECT_GE(mechanism.lines, 1U) << mechanism.name;
    }
  }
}

}  // namespace
}  // namespace threadping

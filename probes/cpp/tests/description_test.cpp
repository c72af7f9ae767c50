#include "description.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments.hpp"
#include "support/failures.hpp"
#include "support/files.hpp"
#include "support/schema.hpp"

namespace threadping {
namespace {

using Json = nlohmann::json;

Json described() { return Json::parse(describe_probe(experiments())); }

TEST(Description, KeepsTheContract) {
  EXPECT_EQ(tests::complaints(describe_probe(experiments()), "describe"), std::vector<std::string>{});
}

TEST(Description, NamesTheToolchainAndItsFlags) {
  const Json message = described();
  EXPECT_EQ(message["schema"], 2);
  EXPECT_EQ(message["probe"], "cpp");
  EXPECT_EQ(message["version"], THREADPING_VERSION);
  EXPECT_EQ(message["toolchain"]["flags"][0], "-std=c++20");
}

TEST(Description, ListsEveryMechanismOfEveryExperimentInOrder) {
  const Json message = described();
  ASSERT_EQ(message["experiments"].size(), experiments().size());
  for (std::size_t index = 0; index < experiments().size(); ++index) {
    std::vector<std::string> named;
    for (const Json& mechanism : message["experiments"][index]["mechanisms"]) named.push_back(mechanism["name"]);
    std::vector<std::string> listed;
    for (const crew::Mechanism& mechanism : experiments()[index]->mechanisms) listed.emplace_back(mechanism.name);
    EXPECT_EQ(named, listed);
  }
}

TEST(Description, SaysWhoTheThreadsAreAndHowMany) {
  const Json message = described();
  const Json& signal = message["experiments"][0];
  EXPECT_EQ(signal["name"], "signal");
  EXPECT_EQ(signal["roles"], Json({"ping", "pong"}));
  EXPECT_EQ(signal["threads"], Json({2, 2}));
  EXPECT_EQ(signal["windows"], "ops");
  const Json& lock = message["experiments"][1];
  EXPECT_EQ(lock["name"], "lock");
  EXPECT_EQ(lock["roles"], Json({"worker"}));
  EXPECT_EQ(lock["threads"], Json({1, 4096}));
  EXPECT_EQ(lock["windows"], "ns");
}

TEST(Description, TellsWhatAParameterMayBe) {
  const Json cas = described()["experiments"][0]["mechanisms"][0];
  EXPECT_EQ(cas["params"][0], Json({{"name", "wait"},
                                    {"default", "spin"},
                                    {"choices", {"spin", "pause", "yield", "backoff"}},
                                    {"range", nullptr},
                                    {"only_with", nullptr}}));
  EXPECT_EQ(cas["params"][1], Json({{"name", "pauses"},
                                    {"default", 1},
                                    {"choices", nullptr},
                                    {"range", {1, 10'000}},
                                    {"only_with", {{"param", "wait"}, {"value", "pause"}}}}));
}

/// What is said of them in all languages stands in contract/words.json.
TEST(Description, HasWordsForEveryMechanismAndParameter) {
  const auto file = std::filesystem::path(THREADPING_CONTRACT) / "words.json";
  const Json words = Json::parse(tests::read_file(file));
  for (const crew::Experiment* experiment : experiments()) {
    const Json& known = words["experiments"].at(std::string(experiment->name));
    std::set<std::string_view> names;
    for (const crew::Mechanism& mechanism : experiment->mechanisms) {
      EXPECT_TRUE(names.insert(mechanism.name).second) << mechanism.name << " twice";
      EXPECT_EQ(mechanism.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
      EXPECT_TRUE(known["mechanisms"].contains(mechanism.name)) << mechanism.name;
      EXPECT_FALSE(mechanism.words) << mechanism.name << " has words twice";
      EXPECT_TRUE(words["timed"].contains(mechanism.timed)) << mechanism.timed;
      for (const crew::ParamInfo& param : mechanism.params)
        EXPECT_TRUE(known["params"].contains(param.name)) << param.name;
      EXPECT_GE(mechanism.lines, 1U) << mechanism.name;
    }
  }
}

TEST(Experiments, AreFoundByName) {
  message::Request request;
  request.experiment = "lock";
  EXPECT_EQ(experiment_for(request).name, "lock");
  request.experiment = "telepathy";
  EXPECT_EQ(tests::failure_of([&] { experiment_for(request); }), "unknown-experiment: No experiment 'telepathy' here.");
}

}  // namespace
}  // namespace threadping

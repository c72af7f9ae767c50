#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "support/failures.hpp"
#include "support/files.hpp"
#include "waits/waits.hpp"

namespace threadping {
namespace {

using Json = nlohmann::json;

Json described() { return Json::parse(describe_probe(experiments())); }

TEST(Description, NamesTheToolchainAndItsFlags) {
  const Json message = described();
  EXPECT_EQ(message["schema"], 4);
  EXPECT_EQ(message["probe"], "cpp");
  EXPECT_EQ(message["version"], THREADPING_RELEASE);
  EXPECT_EQ(message["toolchain"]["flags"][0], "-std=c++20");
}

TEST(Description, ListsEveryMechanismOfEveryExperimentInOrder) {
  const Json message = described();
  ASSERT_EQ(message["experiments"].size(), experiments().size());
  for (std::size_t index = 0; index < experiments().size(); ++index) {
    Json listed = Json::array();
    for (const engine::Mechanism& mechanism : experiments()[index]->mechanisms) listed.push_back(mechanism.name);
    Json named = Json::array();
    for (const Json& mechanism : message["experiments"][index]["mechanisms"]) named.push_back(mechanism["name"]);
    EXPECT_EQ(named, listed);
  }
}

TEST(Description, SaysWhoTheThreadsAreAndHowMany) {
  Json message = described();
  for (Json& experiment : message["experiments"]) experiment.erase("mechanisms");
  EXPECT_EQ(message["experiments"], Json::parse(R"([
      {"name": "signal", "roles": [{"name": "ping", "counts": true}, {"name": "pong", "counts": true}], "threads": [2, 2], "windows": "ops"},
      {"name": "lock", "roles": [{"name": "contender", "counts": true}, {"name": "reader", "counts": true}, {"name": "writer", "counts": true}, {"name": "reader-writer", "counts": true}], "threads": [1, 4096], "windows": "ns"},
      {"name": "wakeup", "roles": [{"name": "notifier", "counts": true}, {"name": "waiter", "counts": false}], "threads": [2, 4096], "windows": "ns"},
      {"name": "queue", "roles": [{"name": "producer", "counts": false}, {"name": "consumer", "counts": true}], "threads": [2, 4096], "windows": "ns"},
      {"name": "load", "roles": [{"name": "sender", "counts": false}, {"name": "receiver", "counts": true}], "threads": [2, 2], "windows": "ns"},
      {"name": "barrier", "roles": [{"name": "coordinator", "counts": true}, {"name": "worker", "counts": false}], "threads": [2, 4096], "windows": "ns"},
      {"name": "network", "roles": [{"name": "ping", "counts": true}], "threads": [1, 1], "windows": "ops"},
      {"name": "jitter", "roles": [{"name": "reader", "counts": true}], "threads": [1, 4096], "windows": "ns"},
      {"name": "self-test", "roles": [{"name": "ping", "counts": true}, {"name": "pong", "counts": true}], "threads": [2, 2], "windows": "ops"}])"));
}

TEST(Description, NamesWhatEachRoleTimes) {
  const Json message = described();
  EXPECT_EQ(message["experiments"][0]["mechanisms"][0]["timed"], Json({"round-trip"}));
  EXPECT_EQ(message["experiments"][2]["mechanisms"][0]["timed"], Json({"call", "wake"}));
  EXPECT_EQ(message["experiments"][3]["mechanisms"][0]["timed"], Json({"latency"}));
  EXPECT_EQ(message["experiments"][5]["mechanisms"][0]["timed"], Json({"call"}));
}

TEST(Description, SaysWhatAMechanismLacks) {
  const Json message = described();
  Json needs;
  for (const Json& mechanism : message["experiments"][6]["mechanisms"]) needs[mechanism["name"]] = mechanism["needs"];
  EXPECT_EQ(needs["tcp-loopback"], Json());
  EXPECT_EQ(needs["tcp"], "a far end on another host, which $THREADPING_PEER names");
  contract::Request request;
  request.experiment = "network";
  request.mechanism = "udp-spin";
  EXPECT_EQ(tests::failure_of([&] { engine::mechanism_for(request, network::experiment()); }),
            "unsupported: udp-spin needs a far end on another host, which $THREADPING_PEER names.");
}

TEST(Description, ReportsWhatAParameterMayBe) {
  const Json params = described()["experiments"][0]["mechanisms"][0]["params"];
  Json wait = Json::parse(R"({"name": "wait", "default": "spin", "range": null, "only_with": null,
                              "choices": ["spin", "pause", "yield", "backoff"], "needs": []})");
  for (const std::string_view choice : {"tpause", "umwait", "monitorx"}) {
    const std::string_view needs = waits::needs(choice);
    if (needs.empty())
      wait["choices"].push_back(choice);
    else
      wait["needs"].push_back({choice, needs});
  }
  EXPECT_EQ(params[0], wait);
  EXPECT_EQ(params[1],
            Json::parse(R"({"name": "pauses", "default": 1, "range": [1, 10000], "choices": null, "needs": [],
                                       "only_with": {"param": "wait", "value": "pause"}})"));
}

/// What is said about them in all languages is in contract/words.json.
TEST(Description, HasWordsForEveryMechanismAndParameter) {
  const Json words = Json::parse(tests::read_file(std::filesystem::path(THREADPING_CONTRACT) / "words.json"));
  for (const engine::Experiment* experiment : experiments()) {
    const Json& known = words["experiments"].at(std::string(experiment->name));
    std::set<std::string_view> names;
    for (const engine::Mechanism& mechanism : experiment->mechanisms) {
      EXPECT_TRUE(names.insert(mechanism.name).second) << mechanism.name << " twice";
      EXPECT_EQ(mechanism.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
      EXPECT_TRUE(known["mechanisms"].contains(mechanism.name)) << mechanism.name;
      EXPECT_FALSE(mechanism.words) << mechanism.name << " has words twice";
      for (const std::string_view timed : mechanism.timed) EXPECT_TRUE(words["timed"].contains(timed)) << timed;
      for (const engine::ParamInfo& param : mechanism.params)
        EXPECT_TRUE(known["params"].contains(param.name)) << param.name;
      EXPECT_GE(mechanism.lines, 1U) << mechanism.name;
    }
  }
}

TEST(Experiments, AreFoundByName) {
  contract::Request request;
  request.experiment = "lock";
  EXPECT_EQ(experiment_for(request).name, "lock");
  request.experiment = "telepathy";
  EXPECT_EQ(tests::failure_of([&] { experiment_for(request); }), "unknown-experiment: No experiment 'telepathy' here.");
}

}  // namespace
}  // namespace threadping

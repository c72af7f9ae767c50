// The probe as threadping launches it: what stands in the result file, and the exit status.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/schema.hpp"

namespace threadping::tests {
namespace {

using Json = nlohmann::json;

class Probe : public testing::Test {
 protected:
  /// A good example, with nobody pinned and all the time it needs.
  void ask(const std::string& example_name) {
    request_ = Json::parse(read_file(example("good/" + example_name)));
    for (Json& thread : request_["threads"]) thread["cpu"] = nullptr;
    request_["home"] = nullptr;
    request_["bound_ns"] = 30'000'000'000;
  }
  void SetUp() override { ask("request-pinned.json"); }

  /// Runs the request; the result must be there, keep the contract, and stand alone beside the request.
  Json result(int status) {
    write_file(directory_ / "request.json", request_.dump());
    const Ended ended = run({directory_ / "request.json"}, directory_ / "result.json");
    EXPECT_EQ(ended.status, status) << ended.errors;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(directory_.names(), (std::vector<std::string>{"request.json", "result.json"}));
    const std::string text = read_file(directory_ / "result.json");
    EXPECT_EQ(complaints(text, "result"), std::vector<std::string>{});
    return Json::parse(text);
  }
  /// Runs the request, which must end in this error, whose sentence names `what`.
  void expect_error(int status, const std::string& code, const std::string& what) {
    const Json error = result(status)["error"];
    EXPECT_EQ(error["code"], code);
    EXPECT_NE(error["message"].get<std::string>().find(what), std::string::npos) << error;
  }

  static Ended run(const std::string& request, const std::string& result) {
    return run_probe({"run", "--request", request, "--result", result});
  }

  Json request_;
  TemporaryDirectory directory_;
};

TEST_F(Probe, WritesAResultThatKeepsTheContract) {
  for (const char* mechanism : {"cas-one-line", "condition"}) {
    request_["mechanism"] = mechanism;
    const Json message = result(0);
    EXPECT_EQ(message["mechanism"], mechanism);
    EXPECT_EQ(message["threads"][0]["role"], "ping");
    EXPECT_EQ(message["threads"][1]["role"], "pong");
    EXPECT_EQ(message["windows"]["ops"].size(), 2);
    EXPECT_EQ(message["counts"]["hand-overs"]["found"], message["counts"]["hand-overs"]["made"]);
    const Json distribution = message["distributions"]["round-trip"];
    EXPECT_EQ(distribution["censored"], 0);
    EXPECT_EQ(distribution["counts"].size(), distribution["values"].size());
    const std::vector<std::uint64_t> values = distribution["values"];
    EXPECT_EQ(std::ranges::adjacent_find(values, std::greater_equal{}), values.end()) << "they ascend";
  }
}

TEST_F(Probe, WritesALocksResultThatKeepsTheContract) {
  ask("request-lock.json");
  for (const char* mechanism : {"mutex", "unprotected"}) {
    request_["mechanism"] = mechanism;
    const Json message = result(0);
    EXPECT_EQ(message["mechanism"], mechanism);
    EXPECT_EQ(message["threads"].size(), 3);
    EXPECT_EQ(message["threads"][2]["role"], "worker");
    EXPECT_EQ(message["windows"]["ops"].size(), 3);
    EXPECT_EQ(message["counts"]["increments"]["exact"], message["mechanism"] == "mutex");
  }
}

TEST_F(Probe, WritesAResultOfNotifyThatKeepsTheContract) {
  ask("request-notify.json");
  request_["measure_ns"] = 60'000'000;  // some windows: in one alone nobody may call on a busy machine
  const Json message = result(0);
  EXPECT_EQ(message["threads"][2]["role"], "notifier");
  EXPECT_EQ(message["threads"][3]["role"], "waiter");
  EXPECT_EQ(message["counts"]["calls"]["found"], message["counts"]["calls"]["made"]);
  EXPECT_EQ(message["counts"].at("wake-ups")["exact"], false);
  EXPECT_EQ(message["distributions"].size(), 2);
  EXPECT_GT(message["evidence"]["look_ns"], 0);
}

TEST_F(Probe, WritesAResultThatTheBoundCut) {
  request_["measure_ns"] = 3'600'000'000'000;
  request_["bound_ns"] = 20'000'000;
  EXPECT_EQ(result(0)["measured"]["cut"], true);
}

TEST_F(Probe, RefusesWhatItDoesNotKnow) {
  request_["params"] = {{"strength", 3}};
  expect_error(2, "unknown-param", "strength");
  request_["mechanism"] = "smoke-signals";
  expect_error(2, "unknown-mechanism", "smoke-signals");
  request_["experiment"] = "telepathy";
  expect_error(2, "unknown-experiment", "telepathy");
  ask("request-pinned.json");
  request_["threads"].push_back({{"cpu", nullptr}});
  expect_error(2, "bad-request", "3");
}

TEST_F(Probe, CannotPinToACpuThatIsNotThere) {
  for (const int thread : {0, 1}) {
    ask("request-pinned.json");
    request_["threads"][thread]["cpu"] = 65535;
    expect_error(1, "pin-failed", "CPU 65535");
  }
}

TEST_F(Probe, RefusesEveryBadExample) {
  for (const auto& file : examples("bad", "request")) {
    EXPECT_EQ(run(file, directory_ / "result.json").status, 2) << file;
    const std::string text = read_file(directory_ / "result.json");
    EXPECT_EQ(complaints(text, "result"), std::vector<std::string>{});
    EXPECT_EQ(Json::parse(text)["error"]["code"], "bad-request") << file;
  }
}

TEST_F(Probe, RefusesARequestThatCannotBeRead) {
  for (const std::string request : {directory_ / "missing.json", directory_ / "."}) {
    EXPECT_EQ(run(request, directory_ / "result.json").status, 2);
    const Json error = Json::parse(read_file(directory_ / "result.json"))["error"];
    EXPECT_EQ(error["code"], "bad-request");
    EXPECT_NE(error["message"].get<std::string>().find(request), std::string::npos);
  }
}

TEST_F(Probe, SaysThatAResultCannotBeWritten) {
  write_file(directory_ / "request.json", request_.dump());
  std::filesystem::create_directory(directory_ / "taken");
  for (const std::string result : {directory_ / "missing/result.json", directory_ / "taken"}) {
    const Ended ended = run(directory_ / "request.json", result);
    EXPECT_EQ(ended.status, 1);
    EXPECT_NE(ended.errors.find(result), std::string::npos) << ended.errors;
    EXPECT_EQ(directory_.names(), (std::vector<std::string>{"request.json", "taken"}));
  }
}

TEST_F(Probe, RefusesWordsThatItDoesNotKnow) {
  EXPECT_EQ(run_probe({}).status, 2);
  EXPECT_EQ(run_probe({"dance"}).status, 2);
  EXPECT_EQ(run_probe({"run", "--request", directory_ / "request.json"}).status, 2);
  EXPECT_EQ(run_probe({"run", "--parent", "me"}).status, 2);
  EXPECT_EQ(run_probe({"--help"}).status, 0);
}

TEST_F(Probe, DescribesItself) {
  const Ended ended = run_probe({"describe"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(complaints(ended.output, "describe"), std::vector<std::string>{});
}

}  // namespace
}  // namespace threadping::tests

#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "contract/request.hpp"
#include "experiments/all.hpp"
#include "waits/waits.hpp"

namespace threadping {
namespace {

using Json = nlohmann::ordered_json;

#ifdef __clang__
constexpr const char* kCompiler = "clang++";
constexpr const char* kCompilerVersion = __clang_version__;
#else
constexpr const char* kCompiler = "g++";
constexpr const char* kCompilerVersion = __VERSION__;
#endif

Json flags() {
  std::istringstream words(compiler_flags());
  return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
}

Json json_of(const engine::ParamInfo& param) {
  const bool number = param.choices.empty();
  Json choices = Json::array();
  Json needs = Json::array();
  for (const std::string_view choice : param.choices) {
    const std::string_view needed = waits::needs(choice);
    if (needed.empty())
      choices.push_back(choice);
    else
      needs.push_back({choice, needed});
  }
  Json only_with = nullptr;
  if (!param.only_with.param.empty()) only_with = {{"param", param.only_with.param}, {"value", param.only_with.value}};
  return {
      {"name", param.name},
      {"default", number ? Json(param.number) : Json(param.choices.front())},
      {"choices", number ? Json(nullptr) : std::move(choices)},
      {"needs", std::move(needs)},
      {"range", number ? Json{param.least, param.most} : Json(nullptr)},
      {"only_with", std::move(only_with)},
  };
}

Json json_of(const engine::Mechanism& mechanism) {
  Json params = Json::array();
  for (const engine::ParamInfo& param : mechanism.params) params.push_back(json_of(param));
  Json words = nullptr;
  if (mechanism.words) words = {{"summary", mechanism.words->summary}, {"costs", mechanism.words->costs}};
  const Json needs = mechanism.needs.empty() ? Json(nullptr) : Json(mechanism.needs);
  return {
      {"name", mechanism.name}, {"blocking", mechanism.blocking}, {"timed", mechanism.timed},
      {"pinnable", true},       {"lines", mechanism.lines},       {"params", std::move(params)},
      {"needs", needs},         {"words", std::move(words)},
  };
}

Json json_of(const engine::Experiment& experiment) {
  Json mechanisms = Json::array();
  for (const engine::Mechanism& mechanism : experiment.mechanisms) mechanisms.push_back(json_of(mechanism));
  Json roles = Json::array();
  for (const engine::Role& role : experiment.roles) roles.push_back({{"name", role.name}, {"counts", role.counts}});
  return {
      {"name", experiment.name},
      {"roles", std::move(roles)},
      {"threads", {experiment.least_threads, experiment.most_threads}},
      {"windows", experiment.windows == contract::Unit::ops ? "ops" : "ns"},
      {"mechanisms", std::move(mechanisms)},
  };
}

}  // namespace

std::string describe_probe(std::span<const engine::Experiment* const> experiments) {
  Json all = Json::array();
  for (const engine::Experiment* experiment : experiments) all.push_back(json_of(*experiment));
  const Json message = {
      {"schema", contract::kSchema},
      {"probe", "cpp"},
      {"version", THREADPING_VERSION},
      {"toolchain", {{"name", kCompiler}, {"version", kCompilerVersion}, {"flags", flags()}}},
      {"experiments", std::move(all)},
  };
  return message.dump();
}

}  // namespace threadping

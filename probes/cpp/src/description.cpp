#include "description.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "contract/request.hpp"
#include "waits/waits.hpp"

namespace threadping {
namespace {

using Json = nlohmann::ordered_json;

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
  for (const auto& [choice, needed] : param.needs) needs.push_back({choice, needed});
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
      {"name", mechanism.name},   {"blocking", mechanism.blocking},
      {"timed", mechanism.timed}, {"pinnable", mechanism.pinnable},
      {"lines", mechanism.lines}, {"params", std::move(params)},
      {"needs", needs},           {"words", std::move(words)},
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

std::string describe(const Probe& probe, std::span<const engine::Experiment* const> experiments) {
  Json all = Json::array();
  for (const engine::Experiment* experiment : experiments) all.push_back(json_of(*experiment));
  const Json message = {
      {"schema", contract::kSchema},
      {"probe", probe.language},
      {"version", probe.version},
      {"toolchain", {{"name", probe.toolchain}, {"version", probe.toolchain_version}, {"flags", probe.flags}}},
      {"experiments", std::move(all)},
  };
  return message.dump();
}

}  // namespace threadping

#include "description.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "contract/json.hpp"
#include "contract/request.hpp"
#include "waits/waits.hpp"

namespace threadping {
namespace {

using contract::Json;

Json json_of(const engine::ParamInfo& param) {
  const bool number = param.choices.empty();
  std::vector<std::string_view> choices;
  std::vector<std::array<std::string_view, 2>> needs;
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
      {"choices", number ? Json(nullptr) : Json(choices)},
      {"needs", needs},
      {"range", number ? Json(std::array{param.least, param.most}) : Json(nullptr)},
      {"only_with", only_with},
  };
}

Json json_of(const engine::Mechanism& mechanism) {
  std::vector<Json> params;
  for (const engine::ParamInfo& param : mechanism.params) params.push_back(json_of(param));
  Json words = nullptr;
  if (mechanism.words) words = {{"summary", mechanism.words->summary}, {"costs", mechanism.words->costs}};
  const Json needs = mechanism.needs.empty() ? Json(nullptr) : Json(mechanism.needs);
  return {
      {"name", mechanism.name},   {"blocking", mechanism.blocking},
      {"timed", mechanism.timed}, {"pinnable", mechanism.pinnable},
      {"lines", mechanism.lines}, {"params", params},
      {"needs", needs},           {"words", words},
  };
}

Json json_of(const engine::Experiment& experiment) {
  std::vector<Json> mechanisms;
  mechanisms.reserve(experiment.mechanisms.size());
  for (const engine::Mechanism& mechanism : experiment.mechanisms) mechanisms.push_back(json_of(mechanism));
  std::vector<Json> roles;
  for (const engine::Role& role : experiment.roles) roles.push_back({{"name", role.name}, {"counts", role.counts}});
  return {
      {"name", experiment.name},
      {"roles", roles},
      {"threads", std::array{experiment.least_threads, experiment.most_threads}},
      {"windows", experiment.windows == contract::Unit::ops ? "ops" : "ns"},
      {"mechanisms", mechanisms},
  };
}

}  // namespace

std::string describe(const Probe& probe, std::span<const engine::Experiment* const> experiments) {
  std::vector<Json> all;
  for (const engine::Experiment* experiment : experiments) all.push_back(json_of(*experiment));
  const Json message = {
      {"schema", contract::kSchema},
      {"probe", probe.language},
      {"version", probe.version},
      {"toolchain", {{"name", probe.toolchain}, {"version", probe.toolchain_version}, {"flags", probe.flags}}},
      {"experiments", all},
  };
  return message.text();
}

}  // namespace threadping

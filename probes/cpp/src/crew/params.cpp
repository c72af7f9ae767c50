#include <algorithm>
#include <variant>

#include "crew/experiment.hpp"
#include "failure.hpp"

namespace threadping::crew {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string listed(std::span<const std::string_view> choices) {
  std::string list;
  for (const std::string_view choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return list;
}

message::Param default_of(const ParamInfo& param) {
  if (param.choices.empty()) return param.number;
  return std::string(param.choices.front());
}

bool allowed(const ParamInfo& param, const message::Param& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return param.choices.empty() && *number >= param.least && *number <= param.most;
  return std::ranges::find(param.choices, std::get<std::string>(value)) != param.choices.end();
}

void refuse_value(const Mechanism& mechanism, const ParamInfo& param) {
  const std::string what =
      param.choices.empty() ? "a whole number from " + std::to_string(param.least) + " to " + std::to_string(param.most)
                            : "one of " + listed(param.choices);
  throw Failure(ErrorCode::bad_request, "The parameter " + quoted(param.name) + " of " + std::string(mechanism.name) +
                                            " must be " + what + ".");
}

}  // namespace

Params::Params(const Mechanism& mechanism, const std::map<std::string, message::Param>& given) {
  for (const ParamInfo& param : mechanism.params) values_[std::string(param.name)] = default_of(param);
  for (const auto& [name, value] : given) {
    const auto param = std::ranges::find(mechanism.params, name, &ParamInfo::name);
    if (param == mechanism.params.end())
      throw Failure(ErrorCode::unknown_param, std::string(mechanism.name) + " has no parameter " + quoted(name) + ".");
    if (!allowed(*param, value)) refuse_value(mechanism, *param);
    values_[name] = value;
  }
  for (const ParamInfo& param : mechanism.params) {
    const auto& [partner, wanted] = param.only_with;
    if (!partner.empty() && given.contains(std::string(param.name)) && text(partner) != wanted)
      throw Failure(ErrorCode::bad_request, "The parameter " + quoted(param.name) + " of " +
                                                std::string(mechanism.name) + " goes with " + std::string(partner) +
                                                "=" + std::string(wanted) + " only.");
  }
}

std::int64_t Params::number(std::string_view name) const { return std::get<std::int64_t>(values_.find(name)->second); }

std::string_view Params::text(std::string_view name) const { return std::get<std::string>(values_.find(name)->second); }

}  // namespace threadping::crew

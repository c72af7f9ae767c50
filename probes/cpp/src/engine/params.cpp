#include "engine/params.hpp"

#include <algorithm>
#include <variant>

#include "failure.hpp"

namespace threadping::engine {
namespace {

bool allowed(const ParamInfo& param, const contract::Param& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return param.choices.empty() && *number >= param.least && *number <= param.most;
  return std::ranges::find(param.choices, std::get<std::string>(value)) != param.choices.end();
}

/// What a value must be, in words.
std::string range_of(const ParamInfo& param) {
  if (param.choices.empty())
    return "a whole number from " + std::to_string(param.least) + " to " + std::to_string(param.most);
  std::string list;
  for (const std::string_view choice : param.choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  return "one of " + list;
}

}  // namespace

Params::Params(std::string_view mechanism, std::span<const ParamInfo> infos,
               const std::map<std::string, contract::Param>& given) {
  const std::string whose(mechanism);
  for (const ParamInfo& param : infos)
    values_[std::string(param.name)] =
        param.choices.empty() ? contract::Param(param.number) : contract::Param(std::string(param.choices.front()));
  for (const auto& [name, value] : given) {
    const auto param = std::ranges::find(infos, name, &ParamInfo::name);
    if (param == infos.end()) throw Failure(ErrorCode::unknown_param, whose + " has no parameter '" + name + "'.");
    if (!allowed(*param, value))
      throw Failure(ErrorCode::bad_request,
                    "The parameter '" + name + "' of " + whose + " must be " + range_of(*param) + ".");
    values_[name] = value;
  }
  for (const auto& [name, value] : given) {
    const auto [partner, wanted] = std::ranges::find(infos, name, &ParamInfo::name)->only_with;
    if (!partner.empty() && text(partner) != wanted)
      throw Failure(ErrorCode::bad_request, "The parameter '" + name + "' of " + whose + " goes with " +
                                                std::string(partner) + "=" + std::string(wanted) + " only.");
  }
}

std::int64_t Params::number(std::string_view name) const { return std::get<std::int64_t>(values_.find(name)->second); }

std::string_view Params::text(std::string_view name) const { return std::get<std::string>(values_.find(name)->second); }

}  // namespace threadping::engine

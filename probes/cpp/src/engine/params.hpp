#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "contract/request.hpp"

namespace threadping::engine {

/// The value of another parameter without which a parameter may not be given.
struct OnlyWith {
  std::string_view param;
  std::string_view value;
};

// GCC warns of a field that a designated initializer leaves out, unless it has an initializer of its own.
// NOLINTBEGIN(readability-redundant-member-init)

/// A parameter of a mechanism: a text if it has choices, a whole number otherwise.
struct ParamInfo {
  std::string_view name;
  std::span<const std::string_view> choices = {};  ///< What a text may be; the first is the default.
  std::int64_t number = 0;                         ///< A number's default,
  std::int64_t least = 0;                          ///< its least
  std::int64_t most = 0;                           ///< and its most.
  OnlyWith only_with = {};                         ///< Empty where it may always be given.
  /// What a text may be elsewhere, and what it needs that no probe of this language has.
  std::span<const std::pair<std::string_view, std::string_view>> needs = {};
};

// NOLINTEND(readability-redundant-member-init)

/// The parameters of the mechanism M, and behind them those of its experiment.
template <class M, std::size_t kMore>
constexpr auto params_with(const std::array<ParamInfo, kMore>& more) {
  if constexpr (requires { M::kParams; }) {
    std::array<ParamInfo, M::kParams.size() + kMore> all{};
    std::ranges::copy(more, std::ranges::copy(M::kParams, all.begin()).out);
    return all;
  } else {
    return more;
  }
}

/// A mechanism's parameters, checked and completed with their defaults.
class Params {
 public:
  /// `infos`: what the mechanism of this name has. Throws Failure(unknown_param) for one that it does not have, and
  /// Failure(bad_request) for a value that it may not take or that goes with another parameter's value only.
  Params(std::string_view mechanism, std::span<const ParamInfo> infos,
         const std::map<std::string, contract::Param>& given);

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;

  /// All of them.
  [[nodiscard]] const std::map<std::string, contract::Param, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, contract::Param, std::less<>> values_;
};

}  // namespace threadping::engine

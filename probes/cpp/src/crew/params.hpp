#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "crew/experiment.hpp"
#include "message/request.hpp"

namespace threadping::crew {

/// A mechanism's parameters, checked and completed with their defaults.
class Params {
 public:
  /// Throws Failure(unknown_param) for one that the mechanism does not have, and Failure(bad_request) for a value that
  /// it may not take or that goes with another parameter's value only.
  Params(const Mechanism& mechanism, const std::map<std::string, message::Param>& given);

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;

 private:
  std::map<std::string, message::Param, std::less<>> values_;
};

}  // namespace threadping::crew

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "message/request.hpp"
#include "params.hpp"
#include "signal/catalogue.hpp"
#include "signal/cells.hpp"
#include "signal/mechanisms/between.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/trial.hpp"

namespace threadping::signal {

/// A mechanism of the catalogue with one choice of its text parameters. One that is added there inherits every question
/// of the parameterised tests.
struct Variant {
  Entry entry;
  std::map<std::string, message::Param> given;

  [[nodiscard]] Params params() const { return {entry.info, given}; }
  [[nodiscard]] std::unique_ptr<Cells> cells(std::size_t count) const { return entry.make(params(), count); }
  [[nodiscard]] bool orders() const { return entry.info.name != "relaxed-one-line"; }

  /// The trial that `request` asks for, with the mechanism and the parameters of this.
  [[nodiscard]] message::SignalResult run(message::Request request) const {
    request.mechanism = entry.info.name;
    request.params = given;
    return Trial(request, cells(request.lines)).run();
  }

  /// A hyphen would mean "not" in a test filter.
  [[nodiscard]] std::string name() const {
    std::string name(entry.info.name);
    for (const auto& [param, value] : given) name += "_" + std::get<std::string>(value);
    std::ranges::replace(name, '-', '_');
    return name;
  }
  friend std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name(); }
};

/// Every mechanism with every combination of its text parameters, as far as `wanted` wants it.
template <class Wanted>
std::vector<Variant> variants(Wanted wanted) {
  std::vector<Variant> all;
  for (const Entry& entry : catalogue()) {
    std::vector<Variant> of_one{{.entry = entry, .given = {}}};
    for (const ParamInfo& param : entry.info.params) {
      if (param.choices.empty()) continue;
      std::vector<Variant> crossed;
      for (const Variant& variant : of_one) {
        for (const std::string_view choice : param.choices) {
          crossed.push_back(variant);
          crossed.back().given[std::string(param.name)] = std::string(choice);
        }
      }
      of_one = std::move(crossed);
    }
    std::ranges::copy_if(of_one, std::back_inserter(all), wanted);
  }
  return all;
}

inline bool between_threads(const Variant& variant) {
  return sharing_of(variant.params()) == platform::Sharing::threads;
}

/// Between threads with every wait, between processes with the first: what a wait does is the same there.
inline bool worth_a_trial(const Variant& variant) {
  return between_threads(variant) || !variant.given.contains("wait") || variant.params().text("wait") == kWaits.front();
}

struct VariantName {
  std::string operator()(const testing::TestParamInfo<Variant>& info) const { return info.param.name(); }
};

}  // namespace threadping::signal

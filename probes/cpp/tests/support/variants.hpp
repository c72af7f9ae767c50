#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "mechanisms/barriers/openmp.hpp"
#include "mechanisms/signal.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "waits/waits.hpp"

namespace threadping::tests {

/// A mechanism of an experiment's list with one choice of its text parameters. One that is added there inherits every
/// question of the parameterised tests.
struct Variant {
  const engine::Experiment* experiment;
  const engine::Mechanism* mechanism;
  std::map<std::string, contract::Param> given;

  [[nodiscard]] std::unique_ptr<engine::Stage> stage(std::size_t lines, std::size_t threads,
                                                     std::map<std::string, contract::Param> more = {}) const {
    more.insert(given.begin(), given.end());
    const engine::Params params(mechanism->name, mechanism->params, more);
    return mechanism->make(
        {.params = params, .lines = lines, .threads = threads, .crowded = threads > platform::allowed_cpus().size()});
  }
  [[nodiscard]] std::unique_ptr<Acting> acting(std::size_t lines, std::size_t threads,
                                               const std::map<std::string, contract::Param>& more = {}) const {
    return std::make_unique<Acting>(stage(lines, threads, more), threads);
  }
  [[nodiscard]] engine::Params params() const { return {mechanism->name, mechanism->params, given}; }
  /// Whether a text parameter has its default.
  [[nodiscard]] bool usual(std::string_view name) const {
    const auto param = std::ranges::find(mechanism->params, name, &engine::ParamInfo::name);
    return param == mechanism->params.end() || params().text(name) == param->choices.front();
  }
  [[nodiscard]] bool between_threads() const { return signals::sharing_of(params()) == platform::Sharing::threads; }

  /// A quick trial of this.
  [[nodiscard]] contract::Request request(const Cpus& cpus) const {
    contract::Request request = quick_request(*experiment, cpus);
    request.mechanism = mechanism->name;
    request.params = given;
    return request;
  }
  [[nodiscard]] contract::Result run(const contract::Request& request) const {
    return engine::run(request, *experiment);
  }

  /// A hyphen would mean "not" in a test filter.
  [[nodiscard]] std::string name() const {
    std::string name = std::string(experiment->name) + "_" + std::string(mechanism->name);
    for (const auto& [param, value] : given) name += "_" + std::get<std::string>(value);
    std::ranges::replace(name, '-', '_');
    return name;
  }
  friend std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name(); }
};

/// ThreadSanitizer knows no fences, by which moodycamel::ReaderWriterQueue orders its messages: each of them looks like
/// a race, and to suppress one takes milliseconds. It is not asked there.
inline bool can_be_judged([[maybe_unused]] const engine::Mechanism& mechanism) {
#ifdef __SANITIZE_THREAD__
  return mechanism.name != "readerwriterqueue";
#else
  return true;
#endif
}

/// Whether a library that a choice names can be loaded; of what names none.
inline bool is_here(std::string_view choice) {
  const auto& libraries = barriers::OpenMp::kLibraries;
  return std::ranges::find(libraries, choice) == libraries.end() || barriers::OpenMp::loads(choice);
}

/// Which of them a test asks.
using Wanted = std::function<bool(const Variant& variant)>;

/// Every mechanism of the experiment with every combination of its text parameters that go with all others, as far as
/// `wanted` wants it.
inline std::vector<Variant> variants_of(const engine::Experiment& experiment, const Wanted& wanted) {
  std::vector<Variant> all;
  for (const engine::Mechanism& mechanism : experiment.mechanisms) {
    if (!mechanism.needs.empty()) continue;
    std::vector<Variant> of_one{{.experiment = &experiment, .mechanism = &mechanism, .given = {}}};
    for (const engine::ParamInfo& param : mechanism.params) {
      if (param.choices.empty() || !param.only_with.param.empty()) continue;
      std::vector<Variant> crossed;
      for (const Variant& variant : of_one) {
        for (const std::string_view choice : param.choices) {
          if (!waits::needs(choice).empty() || !is_here(choice)) continue;
          crossed.push_back(variant);
          crossed.back().given[std::string(param.name)] = std::string(choice);
        }
      }
      of_one = std::move(crossed);
    }
    if (can_be_judged(mechanism)) std::ranges::copy_if(of_one, std::back_inserter(all), wanted);
  }
  return all;
}

/// The same of every experiment.
inline std::vector<Variant> variants(const Wanted& wanted) {
  std::vector<Variant> all;
  for (const engine::Experiment* experiment : experiments())
    std::ranges::move(variants_of(*experiment, wanted), std::back_inserter(all));
  return all;
}

/// Whether its threads are a library's: who plays them without the engine has none of these.
inline bool brings_threads(const Variant& variant) {
  return variant.mechanism->needs.empty() && variant.stage(1, 2)->brings(1);
}

inline bool between_threads(const Variant& variant) { return variant.between_threads(); }

/// With every wait the experiment's first mechanism between threads, and all others with the first wait. When messages
/// are due, and how a sender waits for that, does not hang on the mechanism.
inline bool worth_a_trial(const Variant& variant) {
  const bool first = variant.mechanism == &variant.experiment->mechanisms.front();
  return (variant.usual("wait") || (first && variant.between_threads())) && variant.usual("arrivals") &&
         variant.usual("sender") && variant.usual("join") && variant.usual("library") && variant.usual("policy");
}

/// The same between threads, which the tests play themselves.
inline bool worth_asking(const Variant& variant) { return worth_a_trial(variant) && variant.between_threads(); }

/// With the first wait alone, for what does not hang on it.
inline bool worth_a_look(const Variant& variant) { return variant.usual("wait") && worth_asking(variant); }

struct VariantName {
  std::string operator()(const testing::TestParamInfo<Variant>& info) const { return info.param.name(); }
};

}  // namespace threadping::tests

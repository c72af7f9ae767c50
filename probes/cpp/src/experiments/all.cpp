#include "experiments/all.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "description.hpp"

namespace threadping {
namespace {
constexpr std::array kAll{&signal::experiment,  &lock::experiment,   &wakeup::experiment,
                          &queue::experiment,   &load::experiment,   &barrier::experiment,
                          &network::experiment, &jitter::experiment, &self_test::experiment};
}  // namespace

std::span<const engine::Experiment* const> experiments() {
  static const auto all = [] {
    std::array<const engine::Experiment*, kAll.size()> made{};
    std::ranges::transform(kAll, made.begin(), [](auto make) { return &make(); });
    return made;
  }();
  return all;
}

/// Experiments behind it are not asked: what a mechanism needs may take long to find out.
const engine::Experiment& experiment_for(const contract::Request& request) {
  for (const auto make : kAll)
    if (const engine::Experiment& one = make(); one.name == request.experiment) return one;
  const auto all = experiments();
  return *engine::asked_for(request, all);
}

std::string describe_probe(std::span<const engine::Experiment* const> experiments) {
  std::istringstream words(THREADPING_COMPILER_FLAGS);
  return describe({.language = "cpp",
                   .version = THREADPING_RELEASE,
                   .toolchain = kCompiler,
                   .toolchain_version = kCompilerVersion,
                   .flags = {std::istream_iterator<std::string>(words), {}}},
                  experiments);
}

}  // namespace threadping

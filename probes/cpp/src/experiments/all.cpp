#include "experiments/all.hpp"

#include <array>
#include <iterator>
#include <sstream>

#include "description.hpp"

namespace threadping {
std::span<const engine::Experiment* const> experiments() {
  static const std::array<const engine::Experiment*, 8> all{
      &signal::experiment(), &lock::experiment(), &notify::experiment(), &ring::experiment(),
      &paced::experiment(),  &hop::experiment(),  &gaps::experiment(),   &calibration::experiment()};
  return all;
}

const engine::Experiment& experiment_for(const contract::Request& request) {
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

#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/experiment.hpp"

namespace threadping {

/// Who describes itself: its toolchain is a compiler or a virtual machine.
struct Probe {
  std::string language;
  std::string version;
  std::string toolchain;
  std::string toolchain_version;
  std::vector<std::string> flags;
};

/// The message of `probe describe`: which probe this is and what it can measure (contract/describe.schema.json).
std::string describe(const Probe& probe, std::span<const engine::Experiment* const> experiments);

}  // namespace threadping

#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/experiment.hpp"

namespace threadping {

/// The compiler that reads this.
#ifdef __clang__
inline constexpr const char* kCompiler = "clang++";
inline constexpr const char* kCompilerVersion = __clang_version__;
#else
inline constexpr const char* kCompiler = "g++";
inline constexpr const char* kCompilerVersion = __VERSION__;
#endif

/// A probe that describes itself: its toolchain is a compiler or a virtual machine.
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

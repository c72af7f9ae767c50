#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/kernel_texts.hpp"

namespace threadping::platform {

/// Tells in which idle state a CPU was, by how often it has left each
/// (Documentation/admin-guide/pm/cpuidle.rst: stateN/usage, the deeper the greater N).
class IdleStates {
 public:
  explicit IdleStates(int cpu, const std::string& root = "/sys/devices/system/cpu");

  /// Whether the kernel tells: a virtual machine's mostly does not.
  [[nodiscard]] bool told() const { return !states_.empty(); }

  /// How many states are deeper than the deepest that the CPU has left since the last look: 0 of the deepest there is,
  /// and as many as there are where it left none.
  std::uint64_t look();

 private:
  struct State {
    KeptOpen usage;
    std::uint64_t left = 0;
  };
  std::vector<State> states_;
};

}  // namespace threadping::platform

#include "platform/idle.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace threadping::platform {

IdleStates::IdleStates(int cpu, const std::string& root) {
  const std::string folder = root + "/cpu" + std::to_string(cpu) + "/cpuidle/state";
  for (int state = 0;; ++state) {
    KeptOpen usage(folder + std::to_string(state) + "/usage");
    if (usage.read().empty()) break;
    states_.push_back({.usage = std::move(usage)});
  }
  look();
}

std::uint64_t IdleStates::look() {
  std::uint64_t deeper = states_.size();
  for (std::size_t at = 0; at < states_.size(); ++at) {
    State& state = states_[at];
    const std::string_view text = state.usage.read();
    std::uint64_t left = state.left;
    std::from_chars(text.data(), text.data() + text.size(), left);
    if (std::exchange(state.left, left) != left) deeper = states_.size() - 1 - at;
  }
  return deeper;
}

}  // namespace threadping::platform

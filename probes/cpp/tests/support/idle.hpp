#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace threadping::tests {

/// A made-up /sys/devices/system/cpu, whose CPU 3 has left each of three idle states seven times.
class IdleFolder {
 public:
  explicit IdleFolder(const std::string& name) : root(std::filesystem::path(testing::TempDir()) / name) {
    for (int state = 0; state < 3; ++state) left(state, 7);
  }
  IdleFolder(const IdleFolder&) = delete;
  IdleFolder& operator=(const IdleFolder&) = delete;
  ~IdleFolder() { std::filesystem::remove_all(root); }

  /// Has it leave a state for the so-manieth time.
  void left(int state, int usage) const {
    const auto folder = root / "cpu3" / "cpuidle" / ("state" + std::to_string(state));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "usage") << usage << '\n';
  }

  /// Lets it have slept so long in a state; `name`: what the state is called.
  void slept(int state, int us, const std::string& name) const {
    const auto folder = root / "cpu3" / "cpuidle" / ("state" + std::to_string(state));
    std::ofstream(folder / "time") << us << '\n';
    std::ofstream(folder / "name") << name << '\n';
  }

  const std::filesystem::path root;
};

}  // namespace threadping::tests

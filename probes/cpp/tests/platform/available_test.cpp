#include "platform/available.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "support/files.hpp"

namespace threadping::platform {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

/// What is available on a machine with these files.
std::uint64_t available_with(const std::map<std::string, std::string>& files) {
  const tests::TemporaryDirectory root;
  for (const auto& [path, text] : files) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  return available_bytes((root / "").string());
}

constexpr const char* kEightGibibytes = "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n";

TEST(AvailableMemory, IsWhatTheMachineHas) {
  EXPECT_EQ(available_with({{"proc/meminfo", kEightGibibytes}}), 8 * kGibibyte);
  EXPECT_EQ(
      available_with(
          {{"proc/meminfo", kEightGibibytes}, {"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/memory.max", "max\n"}}),
      8 * kGibibyte);
}

/// Of the second version; what is used and not reclaimable is gone, and of groups within groups the narrowest counts.
TEST(AvailableMemory, IsWhatTheControlGroupsLeave) {
  std::map<std::string, std::string> files{{"proc/meminfo", kEightGibibytes},
                                           {"proc/self/cgroup", "0::/outer/inner\n"},
                                           {"sys/fs/cgroup/outer/memory.max", "4294967296\n"},
                                           {"sys/fs/cgroup/outer/memory.current", "2147483648\n"},
                                           {"sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 1073741824\n"},
                                           {"sys/fs/cgroup/outer/inner/memory.max", "max\n"}};
  EXPECT_EQ(available_with(files), 3 * kGibibyte);
  files["sys/fs/cgroup/outer/inner/memory.max"] = "1073741824\n";
  EXPECT_EQ(available_with(files), kGibibyte);
  files["sys/fs/cgroup/outer/inner/memory.current"] = "9073741824\n";
  EXPECT_EQ(available_with(files), 0U) << "more is used than may be";
}

/// In a container the path is the host's, and what is mounted is the container's own.
TEST(AvailableMemory, IsWhatTheFirstVersionsGroupsLeave) {
  EXPECT_EQ(available_with({{"proc/meminfo", kEightGibibytes},
                            {"proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/4711\n0::/\n"},
                            {"sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"},
                            {"sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"},
                            {"sys/fs/cgroup/memory/memory.stat", "total_inactive_file 536870912\n"}}),
            kGibibyte + kGibibyte / 2);
}

TEST(AvailableMemory, IsUnboundedWhereNothingTells) {
  const std::uint64_t most = UINT64_MAX;
  EXPECT_EQ(available_with({}), most);
  EXPECT_EQ(available_with({{"proc/meminfo", "MemAvailable: many\n"}, {"proc/self/cgroup", "what\n0::\n:\n::x\n"}}),
            most);
  EXPECT_EQ(available_with({{"proc/meminfo", "MemAvailable: 18446744073709551615 kB\n"}}), most);
}

}  // namespace
}  // namespace threadping::platform

#include "platform/kernel_texts.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "support/files.hpp"

namespace threadping::platform {
namespace {

TEST(RunDelay, IsTheSecondNumber) {
  EXPECT_EQ(run_delay_in("188422 5417 12\n"), 5417U);
  EXPECT_EQ(run_delay_in("0 0 1\n"), 0U);
  for (const char* text : {"", "188422", "188422 \n", "what 5"}) EXPECT_EQ(run_delay_in(text), std::nullopt) << text;
}

/// Of the groups that the process is in; one without a quota is not read.
TEST(Quotas, AreThoseOfTheControlGroupAndOfThoseAboveIt) {
  const tests::TemporaryDirectory root;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root / file).parent_path());
    tests::write_file(root / file, text);
  };
  write("proc/self/cgroup", "4:cpu,cpuacct:/old\n3:cpuset:/old\n0::/box/inner\n");
  EXPECT_EQ(Quotas(root / "").read(), std::nullopt);
  write("sys/fs/cgroup/box/inner/cpu.max", "20000 100000\n");
  write("sys/fs/cgroup/box/inner/cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 25\nnr_bursts 0\n");
  write("sys/fs/cgroup/box/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/box/cpu.stat", "throttled_usec 1000000\n");
  write("sys/fs/cgroup/cpuset/old/cpu.cfs_quota_us", "7\n");
  EXPECT_EQ(Quotas(root / "").read(), 25'000U);
  write("sys/fs/cgroup/cpu,cpuacct/old/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu,cpuacct/old/cpu.stat", "nr_periods 9\nthrottled_time 70\n");
  Quotas both(root / "");
  EXPECT_EQ(both.read(), 25'070U);
  write("sys/fs/cgroup/box/inner/cpu.stat", "throttled_usec 26\n");
  EXPECT_EQ(both.read(), 26'070U);
}

constexpr const char* kSoftirqs =
    "                    CPU0       CPU1       \n"
    "          HI:          1          2\n"
    "       TIMER:    1112980    1302291\n"
    "         RCU:         10         20\n";

TEST(SoftInterrupts, AreTheSumOfACpusColumn) {
  EXPECT_EQ(soft_interrupts_in(kSoftirqs, 0), 1112991U);
  EXPECT_EQ(soft_interrupts_in(kSoftirqs, 1), 1302313U);
  EXPECT_EQ(soft_interrupts_in(kSoftirqs, 2), std::nullopt);
  EXPECT_EQ(soft_interrupts_in("", 0), std::nullopt);
}

TEST(SoftInterrupts, AreFoundByTheNameOfTheColumnWhereTheNumbersOfCpusHaveHoles) {
  constexpr const char* with_holes =
      "                    CPU0       CPU2       CPU20      \n"
      "          HI:          1          2          3\n"
      "       TIMER:        100        200        300\n";
  EXPECT_EQ(soft_interrupts_in(with_holes, 0), 101U);
  EXPECT_EQ(soft_interrupts_in(with_holes, 2), 202U);
  EXPECT_EQ(soft_interrupts_in(with_holes, 20), 303U);
  EXPECT_EQ(soft_interrupts_in(with_holes, 1), std::nullopt);
}

TEST(ListsOfCpus, AreReadAsTheKernelWritesThem) {
  EXPECT_EQ(cpus_in("0-2,5,8-9\n"), (CpuSet{0, 1, 2, 5, 8, 9}));
  EXPECT_EQ(cpus_in("7"), CpuSet{7});
  for (const char* none : {"", "\n", "(null)", "-", ",", "2-"}) EXPECT_EQ(cpus_in(none), CpuSet{}) << none;
  EXPECT_EQ(cpus_in("9000-99999"), CpuSet{}) << "more than any kernel has";
  EXPECT_EQ(cpus_in_file("/nowhere/at/all"), CpuSet{});
}

TEST(AFileThatIsKeptOpen, IsReadAgainFromItsStart) {
  const tests::TemporaryDirectory directory;
  const std::string file = directory / "counts";
  tests::write_file(file, std::string(1000, 'x'));
  KeptOpen open(file);
  EXPECT_EQ(open.read(), std::string(1000, 'x'));
  tests::write_file(file, "23");
  EXPECT_EQ(open.read(), "23");
  EXPECT_EQ(open.read(), "23");
  KeptOpen moved = std::move(open);
  EXPECT_EQ(moved.read(), "23");
}

TEST(AFileThatIsKeptOpen, IsEmptyWhereItCannotBeRead) {
  KeptOpen missing("/nowhere/at/all");
  EXPECT_EQ(missing.read(), "");
}

TEST(Nodes, AreThoseOfTheMappingThatHoldsTheAddress) {
  const Memory memory(16 * kPage, Sharing::processes);  // shared, so that the kernel joins it with no other mapping
  EXPECT_EQ(nodes_of(memory.start()), std::nullopt) << "nobody has touched it yet";
  for (std::size_t page = 0; page < 16; ++page) memory.start()[page * kPage] = std::byte{1};
  const auto nodes = nodes_of(memory.start());
  EXPECT_EQ(nodes.has_value(), std::filesystem::exists("/proc/self/numa_maps"));
  EXPECT_EQ(nodes_of(memory.start() + 5 * kPage + 8), nodes) << "in the midst of the mapping";
  EXPECT_EQ(nodes_of(nullptr), std::nullopt);
}

}  // namespace
}  // namespace threadping::platform

#include "platform/pinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "support/failures.hpp"

namespace threadping::platform {
namespace {

/// Pins a thread of its own, so that the test's thread stays as it is.
CpuSet pinned(std::optional<int> cpu) {
  CpuSet read_back;
  std::thread([&] {
    const CpuSet returned = pin_this_thread(cpu);
    read_back = allowed_cpus();
    EXPECT_EQ(returned, read_back);
  }).join();
  return read_back;
}

TEST(Pinning, AllowedCpusAscend) {
  const CpuSet cpus = allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_EQ(std::ranges::adjacent_find(cpus, std::greater_equal{}), cpus.end());
}

TEST(Pinning, HoldsOnEveryAllowedCpu) {
  for (const int cpu : allowed_cpus()) EXPECT_EQ(pinned(cpu), CpuSet{cpu});
}

TEST(Pinning, OfNothingLeavesTheThreadAsItIs) { EXPECT_EQ(pinned(std::nullopt), allowed_cpus()); }

TEST(Pinning, HoldsOnSeveralCpus) {
  const CpuSet all = allowed_cpus();
  std::thread([&] {
    pin_this_thread(all.front());
    EXPECT_EQ(pin_this_thread(all), all);
    EXPECT_EQ(allowed_cpus(), all);
  }).join();
}

TEST(Pinning, LeavesOtherThreadsAlone) {
  const CpuSet before = allowed_cpus();
  pinned(before.front());
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Pinning, RefusalNamesTheCpuAndTheAllowedOnes) {
  const std::string refusal = tests::failure_of([] { pin_this_thread(65535); });
  EXPECT_TRUE(refusal.starts_with("pin-failed: CPU 65535 cannot be used here")) << refusal;
  EXPECT_NE(refusal.find("this process may use CPUs " + std::to_string(allowed_cpus().front())), std::string::npos)
      << refusal;
}

TEST(Pinning, OfSeveralNamesThemAll) {
  const std::string refusal = tests::failure_of([] { pin_this_thread(CpuSet{8000, 8001}); });
  EXPECT_TRUE(refusal.starts_with("pin-failed: CPUs 8000, 8001 cannot be used here")) << refusal;
}

TEST(CpuSets, AreUnited) {
  EXPECT_EQ(united({0, 2, 5}, {1, 2}), (CpuSet{0, 1, 2, 5}));
  EXPECT_EQ(united({}, {3}), CpuSet{3});
}

}  // namespace
}  // namespace threadping::platform

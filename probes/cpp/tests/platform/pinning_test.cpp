#include "platform/pinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/failures.hpp"

namespace threadping::platform {
namespace {

/// Pins a thread of its own, so that the test's thread stays unchanged.
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

TEST(Pinning, LeavesOtherThreadsAloneAndHoldsOnSeveralCpus) {
  const CpuSet before = allowed_cpus();
  pinned(before.front());
  EXPECT_EQ(allowed_cpus(), before);
  std::thread([&] {
    pin_this_thread(before.front());
    EXPECT_EQ(pin_this_thread(before), before);
    EXPECT_EQ(allowed_cpus(), before);
  }).join();
}

TEST(Pinning, RefusalNamesTheCpusAndTheAllowedOnes) {
  const std::string one = tests::failure_of([] { pin_this_thread(65535); });
  EXPECT_TRUE(one.starts_with("pin-failed: CPU 65535 cannot be used here")) << one;
  EXPECT_NE(one.find("this process may use CPUs " + std::to_string(allowed_cpus().front())), std::string::npos) << one;
  const std::string several = tests::failure_of([] { pin_this_thread(CpuSet{8000, 8001}); });
  EXPECT_TRUE(several.starts_with("pin-failed: CPUs 8000, 8001 cannot be used here")) << several;
}

TEST(CpuSets, AreUnited) {
  EXPECT_EQ(united({0, 2, 5}, {1, 2}), (CpuSet{0, 1, 2, 5}));
  EXPECT_EQ(united({}, {3}), CpuSet{3});
}

}  // namespace
}  // namespace threadping::platform

#include "platform/pinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "failure.hpp"

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

TEST(Pinning, LeavesOtherThreadsAlone) {
  const CpuSet before = allowed_cpus();
  pinned(before.front());
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Pinning, RefusalNamesTheCpuAndTheAllowedOnes) {
  try {
    pin_this_thread(65535);
    FAIL() << "CPU 65535 was accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::pin_failed);
    const std::string sentence = failure.what();
    EXPECT_TRUE(sentence.starts_with("CPU 65535 cannot be used here")) << sentence;
    EXPECT_NE(sentence.find("this process may use CPUs " + std::to_string(allowed_cpus().front())), std::string::npos)
        << sentence;
  }
}

}  // namespace
}  // namespace threadping::platform

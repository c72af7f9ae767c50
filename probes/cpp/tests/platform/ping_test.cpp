#include "platform/ping.hpp"

#include <gtest/gtest.h>

#include "platform/pinning.hpp"
#include "support/requests.hpp"

namespace threadping::platform {
namespace {

/// Again where a busy machine lets the two not meet in time.
TEST(APing, TakesNanosecondsFromOneCpuToTheOther) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  std::optional<double> found;
  for (int attempt = 0; !found && attempt < 1000; ++attempt) found = ping(cpus->first, cpus->second);
  ASSERT_TRUE(found);
  EXPECT_GT(*found, 1);
}

TEST(APing, IsUnknownWhereACpuIsMissing) {
  const int here = allowed_cpus().front();
  EXPECT_FALSE(ping(here, 65535));
  EXPECT_FALSE(ping(65535, here));
}

TEST(APing, LeavesTheCallerWhereItWas) {
  const CpuSet before = allowed_cpus();
  ping(before.front(), before.back());
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace threadping::platform

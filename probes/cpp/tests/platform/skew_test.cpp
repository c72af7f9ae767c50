#include "platform/skew.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "support/requests.hpp"

namespace threadping::platform {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::uint64_t a_second_ahead() { return now_ns() + kSecond; }

/// Measured again where a busy machine lets the two not meet.
std::optional<Skew> measured(Clock clock_of_one, Clock clock_of_other) {
  const auto cpus = tests::two_cpus();
  std::optional<Skew> skew;
  for (int attempt = 0; cpus && !skew && attempt < 1000; ++attempt)
    skew = measure_skew(cpus->first, cpus->second, clock_of_one, clock_of_other);
  return skew;
}

class SkewOfTwoCpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!tests::two_cpus()) GTEST_SKIP() << "this machine lets us use one CPU only";
  }
};

TEST_F(SkewOfTwoCpus, IsBoundedOnBothSides) {
  const auto skew = measured(now_ns, now_ns);
  ASSERT_TRUE(skew);
  EXPECT_LE(skew->least_ns, skew->most_ns);
}

/// Either bound is a whole exchange away from the truth at most, which takes no second.
TEST_F(SkewOfTwoCpus, IsFoundWhereItWasPlanted) {
  const auto ahead = measured(now_ns, a_second_ahead);
  ASSERT_TRUE(ahead);
  EXPECT_GT(ahead->least_ns, 0);
  EXPECT_LE(ahead->least_ns, ahead->most_ns);
  EXPECT_LT(ahead->most_ns, 2 * kSecond);

  const auto behind = measured(a_second_ahead, now_ns);
  ASSERT_TRUE(behind);
  EXPECT_LT(behind->most_ns, 0);
  EXPECT_LE(behind->least_ns, behind->most_ns);
  EXPECT_GT(behind->least_ns, -2 * kSecond);
}

/// Who is pinned there says so himself.
TEST(Skew, IsUnknownWhereACpuIsMissing) {
  const int here = allowed_cpus().front();
  EXPECT_FALSE(measure_skew(here, 65535));
  EXPECT_FALSE(measure_skew(65535, here));
}

TEST(Skew, LeavesTheCallerWhereItWas) {
  const CpuSet before = allowed_cpus();
  measure_skew(before.front(), before.back());
  EXPECT_EQ(allowed_cpus(), before);
}

void expect_intersection(Skew one, Skew other, Skew both) {
  const Skew found = intersection(one, other).value_or(Skew{});
  EXPECT_EQ(found.least_ns, both.least_ns);
  EXPECT_EQ(found.most_ns, both.most_ns);
}

/// One exchange that was disturbed for milliseconds says nothing against those that were not.
TEST(TwoSkewsOfAPair, HoldTogether) {
  expect_intersection({-886'000, 2'810'000}, {-35, 40}, {-35, 40});
  expect_intersection({-35, 40}, {-886'000, 2'810'000}, {-35, 40});
  expect_intersection({-50, 20}, {-10, 60}, {-10, 20});
}

TEST(TwoSkewsOfAPair, AreTheGapBetweenThemWhereTheClocksDrifted) { expect_intersection({10, 20}, {50, 60}, {20, 50}); }

TEST(TwoSkewsOfAPair, MayBeOne) {
  const Skew only{.least_ns = 1, .most_ns = 2};
  EXPECT_EQ(intersection(only, std::nullopt).value_or(Skew{}).most_ns, 2);
  EXPECT_EQ(intersection(std::nullopt, only).value_or(Skew{}).most_ns, 2);
  EXPECT_FALSE(intersection(std::nullopt, std::nullopt));
}

/// Wide bounds are no distance.
TEST(ASkew, IsCertainAsFarAsItsBoundsExclude) {
  EXPECT_EQ(certain_ns({-886'000, 2'810'000}), 0);
  EXPECT_EQ(certain_ns({30, 50}), 30);
  EXPECT_EQ(certain_ns({-70, -20}), 20);
}

}  // namespace
}  // namespace threadping::platform

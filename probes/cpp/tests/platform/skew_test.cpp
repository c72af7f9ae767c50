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

TEST(TheFartherSkew, IsThatWhoseMiddleIsFartherFromZero) {
  const auto chosen = [](Skew one, Skew other) { return farther(one, other).value_or(Skew{}).least_ns; };
  EXPECT_EQ(chosen({-100, 100}, {10, 20}), 10);
  EXPECT_EQ(chosen({-100, -90}, {10, 20}), -100);
  EXPECT_EQ(chosen({1, 2}, {1'000, -1'001}), 1);
}

TEST(TheFartherSkew, IsTheOnlyOne) {
  const Skew only{.least_ns = 1, .most_ns = 2};
  EXPECT_EQ(farther(only, std::nullopt).value_or(Skew{}).most_ns, 2);
  EXPECT_EQ(farther(std::nullopt, only).value_or(Skew{}).most_ns, 2);
  EXPECT_FALSE(farther(std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace threadping::platform

// The contract of every mechanism, checked in its loops by threads of our own.

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "experiments/all.hpp"
#include "support/together.hpp"
#include "support/variants.hpp"

namespace threadping::lock {
namespace {

using tests::together;

class LockConformance : public testing::TestWithParam<tests::Variant> {
 protected:
  /// After `made` increments: all were found, where that is the mechanism's contract.
  static void expect_found(const tests::Acting& acting, std::uint64_t made) {
    const contract::Held held = acting.counts().at("increments");
    EXPECT_EQ(held.made, made);
    EXPECT_EQ(held.exact, GetParam().mechanism->name != "unprotected");
    if (held.exact)
      EXPECT_EQ(held.found, made);
    else
      EXPECT_LE(held.found, made);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, LockConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

TEST_P(LockConformance, LosesNoIncrementWhereThatIsItsContract) {
  constexpr std::uint64_t kThreads = 3;
  constexpr std::uint64_t kEach = 2000;
  const auto acting = GetParam().acting(2, kThreads);
  together(kThreads, [&](std::size_t thread) {
    for (std::size_t line = 0; line < 2; ++line) EXPECT_EQ(acting->plain(thread, line, kEach), kEach);
  });
  expect_found(*acting, 2 * kThreads * kEach);
}

TEST_P(LockConformance, CountsExactlyWhenAlone) {
  const auto acting = GetParam().acting(1, 1);
  acting->plain(0, 0, 1000);
  EXPECT_EQ(acting->counts().at("increments").found, 1000U);
}

TEST_P(LockConformance, TimesEveryOperationThatItIsToTime) {
  const auto acting = GetParam().acting(1, 2);
  together(2, [&](std::size_t thread) {
    std::uint64_t last = platform::now_ns();
    EXPECT_EQ(acting->timed(thread, 0, 500), 500U);
    const std::vector<engine::Timing> timings = acting->taken(thread);
    EXPECT_EQ(timings.size(), 500U);
    EXPECT_EQ(acting->samples[thread]->readings(), 1000U);
    for (const engine::Timing& timing : timings) {
      EXPECT_GE(timing.from_ns, last);
      EXPECT_GE(timing.to_ns, timing.from_ns);
      last = timing.to_ns;
    }
    EXPECT_GE(platform::now_ns(), last);
  });
  expect_found(*acting, 1000);
}

/// What precedes it in its group is performed before it, and what follows, after: four operations each, with
/// steps of work that each wait for the one before, four cycles or more.
TEST_P(LockConformance, TimesTheMiddleOfEachGroup) {
  constexpr std::int64_t kSteps = 100'000;
  constexpr std::uint64_t kFourOperations = 4 * kSteps * 4 / 10;  // ns, by a CPU of 10 GHz
  const auto acting = GetParam().acting(1, 1, {{"outside", kSteps}});
  const std::uint64_t start = platform::now_ns();
  EXPECT_EQ(acting->run(0, {.count = 18, .every = 9}), 18U);
  const std::uint64_t end = platform::now_ns();
  const std::vector<engine::Timing> timings = acting->taken(0);
  ASSERT_EQ(timings.size(), 2U);
  EXPECT_GE(timings[0].from_ns - start, kFourOperations);
  EXPECT_GE(timings[1].from_ns - timings[0].to_ns, 2 * kFourOperations);
  EXPECT_GE(end - timings[1].to_ns, kFourOperations);
  expect_found(*acting, 18);
}

TEST_P(LockConformance, WorksInsideAndOutside) {
  const auto acting = GetParam().acting(1, 2, {{"critical", std::int64_t{3}}, {"outside", std::int64_t{5}}});
  together(2, [&](std::size_t thread) {
    acting->plain(thread, 0, 100);
    acting->timed(thread, 0, 100);
  });
  expect_found(*acting, 400);
}

/// Two take turns: each run of three operations after the other's is one change of hands.
TEST_P(LockConformance, CountsHowOftenTheLockOrTheLineChangedHands) {
  const auto acting = GetParam().acting(1, 2);
  for (int turn = 0; turn < 10; ++turn)
    for (const std::size_t thread : {0, 1}) acting->run(thread, {.count = 3, .every = 3});
  const engine::Tally one = acting->samples[0]->tally();
  const engine::Tally other = acting->samples[1]->tally();
  static const std::set<std::string_view> kWithout{"single-writer-release", "false-sharing", "unprotected"};
  const bool counts = !kWithout.contains(GetParam().mechanism->name);
  EXPECT_EQ(one.made + other.made, counts ? 60U : 0U);
  EXPECT_GE(one.found + other.found, counts ? 19U : 0U);  // nobody knows whose hands it was in at first
  EXPECT_LE(one.found + other.found, counts ? 20U : 0U);
}

TEST_P(LockConformance, CountsNoChangeOfHandsWhenAlone) {
  const auto acting = GetParam().acting(1, 1);
  acting->run(0, {.count = 300, .every = 3});
  EXPECT_LE(acting->samples[0]->tally().found, 1U);
}

TEST_P(LockConformance, KeepsItsLinesApart) {
  const auto acting = GetParam().acting(3, 1);
  acting->plain(0, 2, 5);
  acting->plain(0, 0, 7);
  EXPECT_EQ(acting->counts().at("increments").found, 12U);
}

}  // namespace
}  // namespace threadping::lock

// When messages are due: the same in every language.

#include "experiments/load/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "experiments/all.hpp"

namespace threadping::load {
namespace {

using Given = std::map<std::string, contract::Param>;
using Times = std::vector<std::uint64_t>;

Schedule schedule(const Given& given, std::uint64_t seed = 42) {
  const engine::Mechanism& any = experiment().mechanisms.front();
  return {engine::Params(any.name, any.params, given), seed};
}

Times first(std::size_t count, Schedule schedule) {
  Times times;
  while (times.size() < count) times.push_back(schedule.next());
  return times;
}

TEST(Schedule, IsRoundedButDoesNotDrift) {
  EXPECT_EQ(first(4, schedule({{"rate", std::int64_t{3'000'000}}})), (Times{333, 666, 1000, 1333}));
  EXPECT_EQ(first(300'000, schedule({{"rate", std::int64_t{300'000}}})).back() / 10, 100'000'000U);
}

TEST(Schedule, HasBurstsAtOnceAtTheMeanRate) {
  EXPECT_EQ(first(7, schedule({{"arrivals", "bursts"}, {"burst", std::int64_t{3}}, {"rate", std::int64_t{1'000'000}}})),
            (Times{3000, 3000, 3000, 6000, 6000, 6000, 9000}));
}

/// As new java.util.SplittableRandom(42).nextDouble() draws them: 0.7415648787718233, 0.1599103928769201.
TEST(Schedule, DrawsGapsAsJavaDoes) {
  EXPECT_EQ(first(2, schedule({{"arrivals", "poisson"}, {"rate", std::int64_t{1'000}}})),
            (Times{1'353'110, 1'527'357}));
  EXPECT_EQ(first(2, schedule({{"arrivals", "idle"}})), (Times{9'252'508, 9'296'124}));
  EXPECT_NE(first(2, schedule({{"arrivals", "idle"}}, 43)), first(2, schedule({{"arrivals", "idle"}})));
}

TEST(Schedule, HasGapsOfOneLengthWhereOneIsNamed) {
  const std::string idle = "idle";
  EXPECT_EQ(first(3, schedule({{"idle", std::string("3ms")}, {"arrivals", idle}})),
            (Times{3'000'000, 6'000'000, 9'000'000}));
  EXPECT_EQ(first(2, schedule({{"idle", std::string("1s")}, {"arrivals", idle}})),
            (Times{1'000'000'000, 2'000'000'000}));
  EXPECT_EQ(first(2, schedule({{"idle", std::string("drawn")}, {"arrivals", idle}})),
            first(2, schedule({{"arrivals", idle}})));
}

TEST(Schedule, OfPoissonHasTheMeanRateAndItsSpread) {
  constexpr std::size_t kMany = 100'000;
  const Times times = first(kMany, schedule({{"arrivals", "poisson"}, {"rate", std::int64_t{1'000'000}}}));
  EXPECT_NEAR(static_cast<double>(times.back()) / kMany, 1000, 20);
  std::size_t long_gaps = 0;
  for (std::size_t at = 1; at < kMany; ++at) long_gaps += times[at] - times[at - 1] > 1000 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(long_gaps) / kMany, 0.368, 0.01) << "1/e of them exceed the mean";
}

TEST(Schedule, OfGapsHasAsManyOfEveryMagnitude) {
  constexpr std::size_t kMany = 40'000;
  const Times times = first(kMany, schedule({{"arrivals", "idle"}}));
  std::map<int, std::size_t> by_decade;
  for (std::size_t at = 1; at < kMany; ++at)
    ++by_decade[static_cast<int>(std::log10(static_cast<double>(times[at] - times[at - 1]) + 1))];
  ASSERT_EQ(by_decade.size(), 4U) << "from 10 us to 100 ms";
  for (const auto& [decade, count] : by_decade) EXPECT_NEAR(static_cast<double>(count), kMany / 4.0, 400) << decade;
}

}  // namespace
}  // namespace threadping::load

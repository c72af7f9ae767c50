// What is planted in pong, and that it is reported.

#include "experiments/self_test/planted.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "mechanisms/signals/counter.hpp"
#include "support/requests.hpp"
#include "waits/waits.hpp"

namespace threadping::self_test {
namespace {

contract::Request request_with(std::int64_t delay_ns, std::int64_t every = 0, std::int64_t stall_ns = 0) {
  auto request = tests::quick_request(experiment(), tests::pinned(2, platform::allowed_cpus()));
  request.mechanism = "condition";
  request.lines = 1;
  request.params = {{"delay", delay_ns}, {"stall-every", every}, {"stall", stall_ns}};
  request.measure_ns = 20 * tests::kMillisecond;
  return request;
}

TEST(SelfTest, StallsOfAnyStretchOfTurnsAreCountedAsTheyFall) {
  const auto request = request_with(0, 7, 1'000);
  const auto& mechanism = experiment().mechanisms.front();
  const engine::Params params(mechanism.name, mechanism.params, request.params);
  const Delays delays(params);
  for (std::uint64_t first = 0; first < 30; ++first)
    for (std::uint64_t turns = 0; turns < 40; ++turns) {
      std::uint64_t expected = 0;  // ping's turn k waits for pong's k-th, and every seventh of these stalls
      for (std::uint64_t turn = first; turn < first + turns; ++turn) expected += turn > 0 && turn % 7 == 0 ? 1 : 0;
      EXPECT_EQ(delays.stalls(first, turns), expected) << first << " and " << turns << " turns";
    }
}

TEST(SelfTest, ADelayIsTimedByItselfAndIsThereInRoundTrips) {
  const contract::Result result = engine::run(request_with(50'000), experiment());
  const contract::Distribution& alone = result.distributions.at("delay-alone");
  EXPECT_EQ(alone.unit, "ps");
  ASSERT_FALSE(alone.counts.empty());
  const std::uint64_t reported_ns = alone.counts.begin()->first / 1'000;
  EXPECT_GT(reported_ns, 10'000U);  // about 50 µs, on a CPU that may have become faster meanwhile
  std::uint64_t with_it = 0;
  std::uint64_t without = 0;  // where ping lost its CPU between a turn and its reading of the clock
  for (const auto& [ns, count] : result.distributions.at("round-trip").counts)
    (ns >= reported_ns / 4 ? with_it : without) += count;
  EXPECT_GT(with_it, without);
}

/// Together: where ping loses its CPU before it reads the clock, a round trip takes some of the next one's time.
TEST(SelfTest, RoundTripsTakeTheTimeOfTheStallsThatWerePlanted) {
  constexpr std::uint64_t kStall = 200'000;
  const contract::Result result = engine::run(request_with(0, 1, kStall), experiment());
  const auto& trips = result.distributions.at("round-trip");
  std::uint64_t took_ns = trips.censored * kStall;  // a window's edge may have cut one
  for (const auto& [ns, count] : trips.counts) took_ns += ns * count;
  const contract::Held stalls = result.counts.at("stalls");
  EXPECT_FALSE(stalls.exact);
  EXPECT_GT(stalls.made, 0U);
  EXPECT_GE(took_ns, stalls.made * kStall / 4);  // on a CPU that may have become faster meanwhile
}

TEST(SelfTest, NothingIsPlantedUnlessItIsAskedFor) {
  const contract::Result result = engine::run(request_with(0), experiment());
  EXPECT_EQ(result.counts.count("stalls"), 0U);  // a pair of counts that counted nothing is not reported
  EXPECT_EQ(result.distributions.at("delay-alone").counts.begin()->first, 0U);
}

}  // namespace
}  // namespace threadping::self_test

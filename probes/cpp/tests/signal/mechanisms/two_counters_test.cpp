#include "signal/mechanisms/two_counters.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace threadping::signal {
namespace {

/// Takes the turns one after the other, as a child would with two piles of pebbles.
TEST(TwoCounters, AgreeWithANaiveSimulation) {
  std::uint64_t ping = 0;
  std::uint64_t pong = 0;
  for (std::uint64_t hand_overs = 0; hand_overs < 1000; ++hand_overs) {
    if (hand_overs % 2 == 0) {
      EXPECT_EQ(TwoCounters<Side::ping>::theirs(hand_overs), pong);
      EXPECT_EQ(TwoCounters<Side::ping>::own(hand_overs), ping);
      EXPECT_EQ(TwoCounters<Side::ping>::hand_overs(pong), hand_overs);
      ++ping;
    } else {
      EXPECT_EQ(TwoCounters<Side::pong>::theirs(hand_overs), ping);
      EXPECT_EQ(TwoCounters<Side::pong>::own(hand_overs), pong);
      EXPECT_EQ(TwoCounters<Side::pong>::hand_overs(ping), hand_overs);
      ++pong;
    }
  }
}

TEST(TwoCounters, SeePoisonAsPoison) {
  for (const std::uint64_t poisoned : {kPoison, kPoison + 1}) {  // a counter may be raised once more after the poison
    EXPECT_GE(TwoCounters<Side::ping>::hand_overs(poisoned), kPoison);
    EXPECT_GE(TwoCounters<Side::pong>::hand_overs(poisoned), kPoison);
  }
}

}  // namespace
}  // namespace threadping::signal

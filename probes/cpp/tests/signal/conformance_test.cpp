// What every mechanism must do, whatever it is made of.

#include <gtest/gtest.h>

#include <thread>

#include "experiments/all.hpp"
#include "experiments/signal/players.hpp"
#include "support/players.hpp"
#include "support/variants.hpp"

namespace threadping::signal {
namespace {

using tests::kForEver;
using tests::Variant;

/// Some sides of one cell, each in a thread of its own.
class Players : public tests::Players {
 public:
  explicit Players(const Variant& variant) : tests::Players(variant.acting(1, 2)) {}

  using tests::Players::start;

  /// Lets a side take `count` turns, and stores how many it took.
  void start(std::size_t side, std::uint64_t count, std::uint64_t& taken) {
    start([this, side, count, &taken] { taken = acting->plain(side, 0, count); });
  }

  /// Waits until `wanted` handoffs have happened.
  void await(std::uint64_t wanted) const {
    while (acting->stage->progress(0) < wanted) std::this_thread::yield();
  }
};

class Conformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Conformance, testing::ValuesIn(tests::variants_of(experiment(), tests::worth_asking)),
                         tests::VariantName());

/// Those that guarantee order, which relaxed-one-line does not.
class Ordering : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Every, Ordering,
                         testing::ValuesIn(tests::variants_of(experiment(),
                                                              [](const Variant& one) {
                                                                return one.mechanism->name != "relaxed-one-line" &&
                                                                       tests::worth_asking(one);
                                                              })),
                         tests::VariantName());

/// Few turns: on a busy machine each of a spinning side may cost a time slice.
TEST_P(Conformance, LosesAndDoublesNothing) {
  constexpr std::uint64_t kTurns = 60;
  std::uint64_t ping = 0;
  std::uint64_t pong = 0;
  Players players(GetParam());
  players.start(kPing, kTurns, ping);
  players.start(kPong, kTurns, pong);
  ASSERT_TRUE(players.end()) << "a signal was lost";
  EXPECT_EQ(ping, kTurns);
  EXPECT_EQ(pong, kTurns);
  const contract::Held handoffs = players.acting->counts().at("handoffs");
  EXPECT_EQ(handoffs.made, 2 * kTurns);
  EXPECT_EQ(handoffs.found, 2 * kTurns);
  EXPECT_TRUE(handoffs.exact);
  EXPECT_EQ(players.acting->plain(kPing, 0, 1), 1U) << "the next one is not due";
}

TEST_P(Conformance, ReportsHowManyHandoffsHaveHappenedOnEachLine) {
  const auto acting = GetParam().acting(3, 2);
  for (std::uint64_t turn = 0; turn < 100; ++turn) {
    ASSERT_EQ(acting->stage->progress(1), turn);
    ASSERT_EQ(acting->plain(turn % 2, 1, 1), 1U);
  }
  ASSERT_EQ(acting->plain(kPing, 2, 1), 1U);
  EXPECT_EQ(acting->stage->progress(0), 0U);
  EXPECT_EQ(acting->stage->progress(2), 1U);
  EXPECT_EQ(acting->counts().at("handoffs").found, 101U);
}

/// The chain of readings begins where the window was opened.
TEST_P(Conformance, TimesRoundTripsWithoutAGap) {
  constexpr std::size_t kTurns = 50;
  std::uint64_t opened = 0;
  std::uint64_t closed = 0;
  std::uint64_t pong = 0;
  Players players(GetParam());
  players.start([&] {
    opened = platform::now_ns();
    EXPECT_EQ(players.acting->timed(kPing, 0, kTurns, opened), kTurns);
    closed = platform::now_ns();
  });
  players.start(kPong, kTurns, pong);
  ASSERT_TRUE(players.end());
  const std::vector<engine::Timing> timings = players.acting->taken(kPing);
  EXPECT_EQ(timings.size(), kTurns);
  for (const engine::Timing& timing : timings) {
    EXPECT_EQ(timing.from_ns, opened);
    EXPECT_GE(timing.to_ns, opened);
    opened = timing.to_ns;
  }
  EXPECT_LE(opened, closed);
  EXPECT_EQ(players.acting->stage->progress(0), 2 * kTurns);
}

/// What a side wrote before its handoff, the other sees after its own; a data race otherwise.
TEST_P(Ordering, OrdersWhatWasWrittenBefore) {
  constexpr std::uint64_t kTurns = 40;
  std::vector<std::uint64_t> written(2 * kTurns, kForEver);
  Players players(GetParam());
  for (const std::size_t side : {kPing, kPong})
    players.start([&, side] {
      for (std::uint64_t turn = side; turn < 2 * kTurns; turn += 2) {
        written[turn] = turn;
        if (players.acting->plain(side, 0, 1) < 1) return;
        EXPECT_TRUE(turn == 0 || written[turn - 1] == turn - 1);
      }
    });
  EXPECT_TRUE(players.end());
}

TEST_P(Conformance, StopEndsBothSidesWhereverTheyAre) {
  for (const std::uint64_t point : {0, 1, 2, 7, 100}) {
    std::uint64_t ping = 0;
    std::uint64_t pong = 0;
    Players players(GetParam());
    players.start(kPing, kForEver, ping);
    players.start(kPong, kForEver, pong);
    players.await(point);
    ASSERT_TRUE(players.stop()) << "from handoff " << point;
    EXPECT_LE(pong, ping);
    EXPECT_LE(ping, pong + 1);
    EXPECT_TRUE(players.acting->counts().empty()) << "nothing is left to compare";
  }
}

TEST_P(Conformance, StopEndsASideThatWaitsAlone) {
  std::uint64_t ping = 0;
  Players alone(GetParam());
  alone.start(kPing, kForEver, ping);
  alone.await(1);
  ASSERT_TRUE(alone.stop());
  EXPECT_EQ(ping, 1U);

  std::uint64_t pong = kForEver;
  Players echo(GetParam());
  echo.start(kPong, kForEver, pong);
  ASSERT_TRUE(echo.stop());
  EXPECT_EQ(pong, 0U);

  Players timing(GetParam());
  timing.start([&] { EXPECT_EQ(timing.acting->timed(kPing, 0, 5, platform::now_ns()), 1U); });
  timing.await(1);
  ASSERT_TRUE(timing.stop());
  EXPECT_EQ(timing.acting->taken(kPing).size(), 1U);
}

TEST_P(Conformance, StopMayComeFirstAndAgain) {
  const auto acting = GetParam().acting(1, 2);
  for (int again = 0; again < 3; ++again) {
    acting->stage->stop(0);
    for (const std::size_t side : {kPing, kPong, kPing, kPing, kPong}) EXPECT_EQ(acting->plain(side, 0, 1), 0U);
  }
}

}  // namespace
}  // namespace threadping::signal

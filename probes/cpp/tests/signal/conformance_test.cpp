// What every mechanism must do, whatever it is made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "crew/loops.hpp"
#include "signal/loops.hpp"
#include "signal/signal.hpp"
#include "support/variants.hpp"

namespace threadping::signal {
namespace {

using tests::Variant;

constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;

/// Some sides of one cell, each in a thread of its own. None outlives the test, even if the mechanism loses a signal.
class Players {
 public:
  explicit Players(const Variant& variant) : loops_(variant.loops(1, 2)) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;
  ~Players() { stop(); }

  template <class Play>
  void start(Play play) {
    playing_.push_back(std::async(std::launch::async, play));
  }

  /// The turns that a side completed.
  std::uint64_t take_turns(std::size_t side, std::uint64_t count) { return loops_->plain(side, 0, count); }

  [[nodiscard]] crew::Loops& loops() const { return *loops_; }
  [[nodiscard]] std::uint64_t hand_overs() const { return loops_->progress(0); }

  /// Whether all have ended by themselves, waiting for as long as a busy machine may need.
  bool end() { return ended_within(std::chrono::seconds(30)); }

  /// Whether all have ended because they were stopped, again and again as a watchdog does.
  bool stop() {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      loops_->stop(0);
      if (ended_within(std::chrono::milliseconds(1))) return true;
    }
    return false;
  }

  /// Waits until so many have happened.
  void await(std::uint64_t wanted) const {
    while (hand_overs() < wanted) std::this_thread::yield();
  }

 private:
  bool ended_within(std::chrono::nanoseconds time) {
    return std::ranges::all_of(playing_, [&](auto& one) { return one.wait_for(time) == std::future_status::ready; });
  }

  std::unique_ptr<crew::Loops> loops_;
  std::vector<std::future<void>> playing_;  ///< Gone, and joined, before the loops are.
};

class Conformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Conformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

/// Those that promise order, which relaxed-one-line does not.
class Ordering : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Every, Ordering,
                         testing::ValuesIn(tests::variants_of(experiment(),
                                                              [](const Variant& one) {
                                                                return one.mechanism->name != "relaxed-one-line" &&
                                                                       one.between_threads();
                                                              })),
                         tests::VariantName());

TEST_P(Conformance, LosesAndDoublesNothing) {
  constexpr std::uint64_t kTurns = 500;
  std::uint64_t ping = 0;
  std::uint64_t pong = 0;
  Players players(GetParam());
  players.start([&] { ping = players.take_turns(kPing, kTurns); });
  players.start([&] { pong = players.take_turns(kPong, kTurns); });
  ASSERT_TRUE(players.end()) << "a signal was lost";
  EXPECT_EQ(ping, kTurns);
  EXPECT_EQ(pong, kTurns);
  const message::Counts counts = players.loops().counts(2 * kTurns);
  EXPECT_EQ(counts.at("hand-overs").made, 2 * kTurns);
  EXPECT_EQ(counts.at("hand-overs").found, 2 * kTurns);
  EXPECT_TRUE(counts.at("hand-overs").exact);
  EXPECT_EQ(players.take_turns(kPing, 1), 1U) << "the next one is not due";
}

TEST_P(Conformance, TellsHowManyHandOversHaveHappened) {
  Players alone(GetParam());
  for (std::uint64_t turn = 0; turn < 100; ++turn) {
    ASSERT_EQ(alone.hand_overs(), turn);
    ASSERT_EQ(alone.take_turns(turn % 2, 1), 1U);
  }
}

TEST_P(Conformance, KeepsItsLinesApart) {
  const auto loops = GetParam().loops(3, 2);
  for (const std::size_t side : {kPing, kPong, kPing}) ASSERT_EQ(loops->plain(side, 1, 1), 1U);
  ASSERT_EQ(loops->plain(kPing, 2, 1), 1U);
  EXPECT_EQ(loops->progress(0), 0U);
  EXPECT_EQ(loops->progress(1), 3U);
  EXPECT_EQ(loops->progress(2), 1U);
  EXPECT_EQ(loops->counts(4).at("hand-overs").found, 4U);
}

/// The durations are those between a chain of readings that begins where the window was opened.
TEST_P(Conformance, TimesRoundTripsWithoutAGap) {
  constexpr std::size_t kTurns = 50;
  std::vector<std::uint64_t> durations(kTurns, kForEver);
  std::uint64_t done = 0;
  std::uint64_t opened = 0;
  std::uint64_t closed = 0;
  Players players(GetParam());
  players.start([&] {
    opened = platform::now_ns();
    done = players.loops().timed(kPing, 0, opened, durations);
    closed = platform::now_ns();
  });
  players.start([&] { players.take_turns(kPong, kTurns); });
  ASSERT_TRUE(players.end());
  EXPECT_EQ(done, kTurns);
  std::uint64_t sum = 0;
  for (const std::uint64_t duration : durations) {
    EXPECT_LT(duration, kForEver);
    sum += duration;
  }
  EXPECT_LE(sum, closed - opened);
  EXPECT_EQ(players.hand_overs(), 2 * kTurns);
}

/// What a side wrote before its hand-over, the other sees after its own; a data race otherwise.
TEST_P(Ordering, OrdersWhatWasWrittenBefore) {
  constexpr std::uint64_t kTurns = 200;
  std::vector<std::uint64_t> written(2 * kTurns, kForEver);
  Players players(GetParam());
  const auto play = [&](std::size_t side) {
    for (std::uint64_t turn = side; turn < 2 * kTurns; turn += 2) {
      written[turn] = turn;
      if (players.take_turns(side, 1) < 1) return;
      if (turn > 0) {
        EXPECT_EQ(written[turn - 1], turn - 1);
      }
    }
  };
  players.start([&] { play(kPing); });
  players.start([&] { play(kPong); });
  EXPECT_TRUE(players.end());
}

TEST_P(Conformance, StopEndsBothSidesWhereverTheyAre) {
  for (const std::uint64_t point : {0, 1, 2, 7, 100}) {
    std::uint64_t ping = 0;
    std::uint64_t pong = 0;
    Players players(GetParam());
    players.start([&] { ping = players.take_turns(kPing, kForEver); });
    players.start([&] { pong = players.take_turns(kPong, kForEver); });
    players.await(point);
    ASSERT_TRUE(players.stop()) << "from hand-over " << point;
    EXPECT_LE(pong, ping);
    EXPECT_LE(ping, pong + 1);
    EXPECT_TRUE(players.loops().counts(ping + pong).empty()) << "nothing is left to compare";
  }
}

TEST_P(Conformance, StopEndsASideThatWaitsAlone) {
  std::uint64_t ping = 0;
  Players alone(GetParam());
  alone.start([&] { ping = alone.take_turns(kPing, kForEver); });
  alone.await(1);
  ASSERT_TRUE(alone.stop());
  EXPECT_EQ(ping, 1U);

  std::uint64_t pong = kForEver;
  Players echo(GetParam());
  echo.start([&] { pong = echo.take_turns(kPong, kForEver); });
  ASSERT_TRUE(echo.stop());
  EXPECT_EQ(pong, 0U);
}

TEST_P(Conformance, StopEndsATimedLoop) {
  std::vector<std::uint64_t> durations(5, kForEver);
  std::uint64_t done = kForEver;
  Players alone(GetParam());
  alone.start([&] { done = alone.loops().timed(kPing, 0, platform::now_ns(), durations); });
  alone.await(1);
  ASSERT_TRUE(alone.stop());
  EXPECT_EQ(done, 1U);
  EXPECT_LT(durations[0], kForEver);
  EXPECT_EQ(durations[1], kForEver);
}

TEST_P(Conformance, StopMayComeFirstAndAgain) {
  Players cell(GetParam());
  for (int again = 0; again < 3; ++again) {
    cell.stop();
    for (int turn = 0; turn < 5; ++turn) {
      EXPECT_EQ(cell.take_turns(kPing, 1), 0U);
      EXPECT_EQ(cell.take_turns(kPong, 1), 0U);
    }
  }
}

}  // namespace
}  // namespace threadping::signal

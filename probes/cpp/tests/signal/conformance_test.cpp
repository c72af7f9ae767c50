// What every mechanism must do, whatever it is made of.

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "mechanism.hpp"
#include "platform/finish_line.hpp"
#include "platform/lines.hpp"
#include "signal/loop.hpp"
#include "signal/mechanisms_under_test.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;

/// Some sides of one cell, each in a thread of its own. None outlives the test, even if the mechanism loses a signal.
template <SignalMechanism M>
class Players {
 public:
  explicit Players(int count) : finish_(count) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;
  ~Players() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }

  template <class Play>
  void start(Play play) {
    threads_.emplace_back([this, play] {
      play();
      finish_.cross();
    });
  }

  /// Whether all have ended by themselves, waiting for as long as a busy machine may need.
  bool end() { return finish_.wait(30 * tests::kSecond); }

  /// Whether all have ended because they were stopped, again and again as a watchdog does.
  bool stop() {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      M::stop(cell());
      if (finish_.wait(tests::kMillisecond)) return true;
    }
    return false;
  }

  /// Waits until `hand_overs` have happened, however they are counted.
  void await(std::uint64_t hand_overs) {
    std::uint64_t changes = 0;
    for (std::uint64_t last = fresh_; changes < hand_overs;) {
      const std::uint64_t now = M::peek(cell());
      if (now == last)
        std::this_thread::yield();
      else
        ++changes;
      last = now;
    }
  }

  M::Cell& cell() { return lines_[0]; }

 private:
  platform::Lines<typename M::Cell> lines_{1};
  std::uint64_t fresh_ = M::peek(lines_[0]);  // before any thread starts: the first hand-over may be over soon
  platform::FinishLine finish_;
  std::vector<std::thread> threads_;
};

template <class M>
class Conformance : public testing::Test {};
TYPED_TEST_SUITE(Conformance, MechanismsUnderTest, MechanismName);

TYPED_TEST(Conformance, LosesAndDoublesNothing) {
  constexpr std::uint64_t kTurns = 500;
  Taken ping{};
  Taken pong{};
  Players<TypeParam> players(2);
  players.start([&] { ping = take_turns<TypeParam, Side::ping>(players.cell(), 0, kTurns); });
  players.start([&] { pong = take_turns<TypeParam, Side::pong>(players.cell(), 1, kTurns); });
  ASSERT_TRUE(players.end()) << "a signal was lost";
  EXPECT_EQ(ping.done, kTurns);
  EXPECT_EQ(ping.seen, 2 * kTurns);
  EXPECT_EQ(pong.done, kTurns);
  EXPECT_EQ(pong.seen, 2 * kTurns + 1);
  // exactly so many have happened: the next one is due, and no later one
  EXPECT_EQ(TypeParam::template turn<Side::ping>(players.cell(), 2 * kTurns), 2 * kTurns);
}

TYPED_TEST(Conformance, SeesThatATurnIsOver) {
  typename TypeParam::Cell cell;
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    ASSERT_EQ(TypeParam::template turn<Side::ping>(cell, expected), expected);
    ASSERT_EQ(TypeParam::template turn<Side::pong>(cell, expected + 1), expected + 1);
  }
  const std::uint64_t before = TypeParam::peek(cell);
  EXPECT_EQ(TypeParam::template turn<Side::ping>(cell, 4), 10U);
  EXPECT_EQ(TypeParam::peek(cell), before) << "a turn that was over was taken";
  ASSERT_EQ(TypeParam::template turn<Side::ping>(cell, 10), 10U);
  EXPECT_EQ(TypeParam::template turn<Side::pong>(cell, 3), 11U);
}

TYPED_TEST(Conformance, PeekChangesWithEveryHandOver) {
  typename TypeParam::Cell cell;
  std::set<std::uint64_t> peeks{TypeParam::peek(cell)};
  for (std::uint64_t expected = 0; expected < 100; expected += 2) {
    TypeParam::template turn<Side::ping>(cell, expected);
    EXPECT_TRUE(peeks.insert(TypeParam::peek(cell)).second) << expected;
    TypeParam::template turn<Side::pong>(cell, expected + 1);
    EXPECT_TRUE(peeks.insert(TypeParam::peek(cell)).second) << expected + 1;
  }
}

/// What a side wrote before its hand-over, the other sees after its own; a data race otherwise.
TYPED_TEST(Conformance, OrdersWhatWasWrittenBefore) {
  constexpr std::uint64_t kTurns = 200;
  std::vector<std::uint64_t> written(2 * kTurns, kForEver);
  Players<TypeParam> players(2);
  players.start([&] {
    for (std::uint64_t turn = 0; turn < 2 * kTurns; turn += 2) {
      written[turn] = turn;
      if (TypeParam::template turn<Side::ping>(players.cell(), turn) != turn) return;
      if (turn == 0) continue;
      EXPECT_EQ(written[turn - 1], turn - 1);
    }
  });
  players.start([&] {
    for (std::uint64_t turn = 1; turn < 2 * kTurns; turn += 2) {
      written[turn] = turn;
      if (TypeParam::template turn<Side::pong>(players.cell(), turn) != turn) return;
      EXPECT_EQ(written[turn - 1], turn - 1);
    }
  });
  EXPECT_TRUE(players.end());
}

TYPED_TEST(Conformance, StopEndsBothSidesWhereverTheyAre) {
  for (const std::uint64_t point : {0, 1, 2, 7, 100}) {
    Taken ping{};
    Taken pong{};
    Players<TypeParam> players(2);
    players.start([&] { ping = take_turns<TypeParam, Side::ping>(players.cell(), 0, kForEver); });
    players.start([&] { pong = take_turns<TypeParam, Side::pong>(players.cell(), 1, kForEver); });
    players.await(point);
    ASSERT_TRUE(players.stop()) << "from hand-over " << point;
    EXPECT_GE(ping.seen, kPoison);
    EXPECT_GE(pong.seen, kPoison);
    EXPECT_LE(pong.done, ping.done);
    EXPECT_LE(ping.done, pong.done + 1);
  }
}

TYPED_TEST(Conformance, StopEndsASideThatWaitsAlone) {
  Taken ping{};
  Players<TypeParam> alone(1);
  alone.start([&] { ping = take_turns<TypeParam, Side::ping>(alone.cell(), 0, kForEver); });
  alone.await(1);
  ASSERT_TRUE(alone.stop());
  EXPECT_EQ(ping.done, 1U);
  EXPECT_GE(ping.seen, kPoison);

  Taken pong{};
  Players<TypeParam> echo(1);
  echo.start([&] { pong = take_turns<TypeParam, Side::pong>(echo.cell(), 1, kForEver); });
  ASSERT_TRUE(echo.stop());
  EXPECT_EQ(pong.done, 0U);
  EXPECT_GE(pong.seen, kPoison);
}

TYPED_TEST(Conformance, StopMayComeFirstAndAgain) {
  typename TypeParam::Cell cell;
  for (int again = 0; again < 3; ++again) {
    TypeParam::stop(cell);
    for (std::uint64_t expected = 0; expected < 10; expected += 2) {
      EXPECT_GE((TypeParam::template turn<Side::ping>(cell, expected)), kPoison);
      EXPECT_GE((TypeParam::template turn<Side::pong>(cell, expected + 1)), kPoison);
    }
  }
}

}  // namespace
}  // namespace threadping::signal

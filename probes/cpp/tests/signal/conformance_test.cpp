// What every mechanism must do, whatever it is made of.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "platform/finish_line.hpp"
#include "signal/cells.hpp"
#include "signal/loop.hpp"
#include "signal/mechanism.hpp"
#include "signal/variants.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;

/// Some sides of one cell, each in a thread of its own. None outlives the test, even if the mechanism loses a signal.
class Players {
 public:
  Players(const Variant& variant, int count) : cells_(variant.cells(1)), fresh_(cells_->peek(0)), finish_(count) {}
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

  Taken take_turns(Side side, std::uint64_t first, std::uint64_t count) {
    return cells_->take_turns(side, 0, first, count);
  }
  /// The hand-overs that one turn saw.
  std::uint64_t turn(Side side, std::uint64_t expected) {
    const Taken taken = take_turns(side, expected, 1);
    return taken.done == 1 ? expected : taken.seen;
  }
  std::uint64_t peek() { return cells_->peek(0); }

  /// Whether all have ended by themselves, waiting for as long as a busy machine may need.
  bool end() { return finish_.wait(30 * tests::kSecond); }

  /// Whether all have ended because they were stopped, again and again as a watchdog does.
  bool stop() {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      cells_->stop(0);
      if (finish_.wait(tests::kMillisecond)) return true;
    }
    return false;
  }

  /// Waits until `hand_overs` have happened, however they are counted.
  void await(std::uint64_t hand_overs) {
    std::uint64_t changes = 0;
    for (std::uint64_t last = fresh_; changes < hand_overs;) {
      const std::uint64_t now = peek();
      if (now == last)
        std::this_thread::yield();
      else
        ++changes;
      last = now;
    }
  }

 private:
  std::unique_ptr<Cells> cells_;
  std::uint64_t fresh_;  // before any thread starts: the first hand-over may be over soon
  platform::FinishLine finish_;
  std::vector<std::thread> threads_;
};

class Conformance : public testing::TestWithParam<Variant> {
 protected:
  /// A cell to play with alone.
  static Players alone() { return {GetParam(), 0}; }
};
INSTANTIATE_TEST_SUITE_P(Every, Conformance, testing::ValuesIn(variants(between_threads)), VariantName());

/// Those that promise order, which relaxed-one-line does not.
class Ordering : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Every, Ordering, testing::ValuesIn(variants([](const Variant& one) {
                           return one.orders() && between_threads(one);
                         })),
                         VariantName());

TEST_P(Conformance, LosesAndDoublesNothing) {
  constexpr std::uint64_t kTurns = 500;
  Taken ping{};
  Taken pong{};
  Players players(GetParam(), 2);
  players.start([&] { ping = players.take_turns(Side::ping, 0, kTurns); });
  players.start([&] { pong = players.take_turns(Side::pong, 1, kTurns); });
  ASSERT_TRUE(players.end()) << "a signal was lost";
  EXPECT_EQ(ping.done, kTurns);
  EXPECT_EQ(ping.seen, 2 * kTurns);
  EXPECT_EQ(pong.done, kTurns);
  EXPECT_EQ(pong.seen, 2 * kTurns + 1);
  // exactly so many have happened: the next one is due, and no later one
  EXPECT_EQ(players.turn(Side::ping, 2 * kTurns), 2 * kTurns);
}

TEST_P(Conformance, SeesThatATurnIsOver) {
  Players cell = alone();
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    ASSERT_EQ(cell.turn(Side::ping, expected), expected);
    ASSERT_EQ(cell.turn(Side::pong, expected + 1), expected + 1);
  }
  const std::uint64_t before = cell.peek();
  EXPECT_EQ(cell.turn(Side::ping, 4), 10U);
  EXPECT_EQ(cell.peek(), before) << "a turn that was over was taken";
  ASSERT_EQ(cell.turn(Side::ping, 10), 10U);
  EXPECT_EQ(cell.turn(Side::pong, 3), 11U);
}

TEST_P(Conformance, PeekChangesWithEveryHandOver) {
  Players cell = alone();
  std::set<std::uint64_t> peeks{cell.peek()};
  for (std::uint64_t expected = 0; expected < 100; expected += 2) {
    cell.turn(Side::ping, expected);
    EXPECT_TRUE(peeks.insert(cell.peek()).second) << expected;
    cell.turn(Side::pong, expected + 1);
    EXPECT_TRUE(peeks.insert(cell.peek()).second) << expected + 1;
  }
}

/// What a side wrote before its hand-over, the other sees after its own; a data race otherwise.
TEST_P(Ordering, OrdersWhatWasWrittenBefore) {
  constexpr std::uint64_t kTurns = 200;
  std::vector<std::uint64_t> written(2 * kTurns, kForEver);
  Players players(GetParam(), 2);
  players.start([&] {
    for (std::uint64_t turn = 0; turn < 2 * kTurns; turn += 2) {
      written[turn] = turn;
      if (players.turn(Side::ping, turn) != turn) return;
      if (turn == 0) continue;
      EXPECT_EQ(written[turn - 1], turn - 1);
    }
  });
  players.start([&] {
    for (std::uint64_t turn = 1; turn < 2 * kTurns; turn += 2) {
      written[turn] = turn;
      if (players.turn(Side::pong, turn) != turn) return;
      EXPECT_EQ(written[turn - 1], turn - 1);
    }
  });
  EXPECT_TRUE(players.end());
}

TEST_P(Conformance, StopEndsBothSidesWhereverTheyAre) {
  for (const std::uint64_t point : {0, 1, 2, 7, 100}) {
    Taken ping{};
    Taken pong{};
    Players players(GetParam(), 2);
    players.start([&] { ping = players.take_turns(Side::ping, 0, kForEver); });
    players.start([&] { pong = players.take_turns(Side::pong, 1, kForEver); });
    players.await(point);
    ASSERT_TRUE(players.stop()) << "from hand-over " << point;
    EXPECT_GE(ping.seen, kPoison);
    EXPECT_GE(pong.seen, kPoison);
    EXPECT_LE(pong.done, ping.done);
    EXPECT_LE(ping.done, pong.done + 1);
  }
}

TEST_P(Conformance, StopEndsASideThatWaitsAlone) {
  Taken ping{};
  Players alone(GetParam(), 1);
  alone.start([&] { ping = alone.take_turns(Side::ping, 0, kForEver); });
  alone.await(1);
  ASSERT_TRUE(alone.stop());
  EXPECT_EQ(ping.done, 1U);
  EXPECT_GE(ping.seen, kPoison);

  Taken pong{};
  Players echo(GetParam(), 1);
  echo.start([&] { pong = echo.take_turns(Side::pong, 1, kForEver); });
  ASSERT_TRUE(echo.stop());
  EXPECT_EQ(pong.done, 0U);
  EXPECT_GE(pong.seen, kPoison);
}

TEST_P(Conformance, StopMayComeFirstAndAgain) {
  Players cell = alone();
  for (int again = 0; again < 3; ++again) {
    cell.stop();
    for (std::uint64_t expected = 0; expected < 10; expected += 2) {
      EXPECT_GE((cell.turn(Side::ping, expected)), kPoison);
      EXPECT_GE((cell.turn(Side::pong, expected + 1)), kPoison);
    }
  }
}

}  // namespace
}  // namespace threadping::signal

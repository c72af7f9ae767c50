// Mechanisms that are broken on purpose: the trial must notice, and say what it was. Those that do not listen to stop()
// are in engine/watching_test.cpp.

#include <gtest/gtest.h>

#include <chrono>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "experiments/signal/players.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/signals/cas_one_line.hpp"
#include "support/broken_signals.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"
#include "support/yields.hpp"

namespace threadping::signal {
namespace {

template <signals::Pair P>
std::string failure_of(std::string_view name = "cas-one-line") {
  const std::string failure = tests::failure_of_trial(tests::kMakes<SignalStage<P>>, experiment(), name);
  return failure.substr(0, failure.find(':'));
}

/// A waiting thread yields, so that two threads on one CPU come to the fault as well.
using Cas = signals::CasOneLine<tests::Yields>;

/// Cas, but at one turn the word becomes `at + step` instead of `at + 1`. The number's parity tells the side.
struct WrongStep : Cas {
  using Cas::Cas;
  static inline std::uint64_t at = 0;
  static inline std::int64_t step = 0;

  template <Side S>
  signals::Awaited await(Cell& cell, std::uint64_t expected) const {
    if (expected != at) return Cas::await<S>(cell, expected);
    std::uint64_t word = expected;
    while (!cell.word.compare_exchange_strong(word, at + static_cast<std::uint64_t>(step))) {
      if (word > expected) return {.due = false, .seen = word};
      word = expected;
    }
    return {.due = true, .seen = expected};
  }
};

std::string failure_where(std::uint64_t at, std::int64_t step) {
  WrongStep::at = at;
  WrongStep::step = step;
  return failure_of<WrongStep>();
}

using Codes = std::vector<std::string>;

/// Turns 40 and 41 of it are ping's and pong's.
Codes failures_of_both(std::int64_t step) { return {failure_where(40, step), failure_where(41, step)}; }

TEST(BrokenMechanism, ThatLosesASignalHasStalled) {
  EXPECT_EQ(failure_where(0, 0), "stalled");  // the very first
  EXPECT_EQ(failures_of_both(0), Codes(2, "stalled"));
}
TEST(BrokenMechanism, ThatBringsBackAnOldSignalHasStalled) { EXPECT_EQ(failures_of_both(-1), Codes(2, "stalled")); }
TEST(BrokenMechanism, ThatDoublesAHandoffBreaksTheSequence) {
  EXPECT_EQ(failures_of_both(2), Codes(2, "sequence-broken"));
}
/// The side's next signal arrives before this one.
TEST(BrokenMechanism, ThatReordersBreaksTheSequence) { EXPECT_EQ(failures_of_both(3), Codes(2, "sequence-broken")); }
TEST(BrokenMechanism, ThatTearsANumberBreaksTheSequence) {
  EXPECT_EQ(failures_of_both((std::int64_t{1} << 40) + 1), Codes(2, "sequence-broken"));
}

/// A pair of a signal that is broken.
std::string failure_of_two(tests::Fault fault) {
  tests::BrokenFutex::fault = fault;
  return failure_of<signals::TwoSignals<tests::BrokenFutex>>("futex");
}

TEST(BrokenMechanism, ThatLosesAWakeUpHasStalled) {
  EXPECT_EQ(failure_of_two(tests::Fault::forgets_to_wake), "stalled");
}
TEST(BrokenMechanism, ThatLosesANumberHasStalled) {
  EXPECT_EQ(failure_of_two(tests::Fault::loses_a_number), "stalled");
}
TEST(BrokenMechanism, ThatDoublesANumberBreaksTheSequence) {
  EXPECT_EQ(failure_of_two(tests::Fault::doubles_a_number), "sequence-broken");
}

/// The first visit takes the turns 0 to 5 and is the whole warm-up; its last turn finds the sequence broken. Only pong
/// knows then, while ping waits for pong to read its counters.
TEST(BrokenMechanism, ThatBreaksWherePongAloneSeesItIsNoticed) {
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.warmup = tests::no_warmup(tests::kHour);
  request.windows.throughput = 1;
  request.windows.sampling = 1;
  WrongStep::at = 4;
  WrongStep::step = 2;
  EXPECT_EQ(tests::failure_of([&] { tests::run_broken(tests::kMakes<SignalStage<WrongStep>>, experiment(), request); }),
            "sequence-broken: Handoff 5 was due, but 6 was there: one was lost or doubled.");
}

}  // namespace
}  // namespace threadping::signal

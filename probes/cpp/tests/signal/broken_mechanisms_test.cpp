// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "failure.hpp"
#include "signal/cells.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/mechanisms/park.hpp"
#include "signal/trial.hpp"
#include "signal/waits/spin.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

using tests::kMillisecond;
using tests::kSecond;

using Cas = LockFree<CasOneLine, Spin>;

template <SignalMechanism M>
std::unique_ptr<Trial> trial_of(const message::Request& request) {
  const Params params(M::kInfo, {});
  return std::make_unique<Trial>(request,
                                 std::make_unique<CellsOf<M>>(params, request.lines, platform::Sharing::threads));
}

/// Cas, but at turn `At` the word becomes `At + Step` instead of `At + 1`. The number's parity tells the side.
template <std::uint64_t At, std::int64_t Step>
struct WrongStep : Cas {
  using Cas::Cas;

  template <Side S>
  std::uint64_t turn(Cell& cell, std::uint64_t expected) const {
    if (expected != At) return Cas::turn<S>(cell, expected);
    std::uint64_t word = expected;
    while (!cell.word.compare_exchange_strong(word, At + static_cast<std::uint64_t>(Step))) {
      if (word > expected) return word;
      word = expected;
    }
    return expected;
  }
};

/// How a trial fails. One that reached its bound before it came to the fault gets more time.
template <SignalMechanism M>
ErrorCode failure_of() {
  auto request = tests::quick_request(std::nullopt, std::nullopt);
  request.lines = 1;
  request.measure_ns = tests::kHour;
  for (request.bound_ns = 20 * kMillisecond; request.bound_ns < 60 * kSecond; request.bound_ns *= 4) {
    try {
      trial_of<M>(request)->run();
    } catch (const Unstoppable& failure) {
      ADD_FAILURE() << "the threads were left running: " << failure.what();
      break;
    } catch (const Failure& failure) {
      return failure.code();
    }
  }
  ADD_FAILURE() << "not noticed";
  return ErrorCode::internal;
}

TEST(BrokenMechanism, ThatLosesASignalHasStalled) {
  EXPECT_EQ((failure_of<WrongStep<0, 0>>()), ErrorCode::stalled);   // ping's first
  EXPECT_EQ((failure_of<WrongStep<41, 0>>()), ErrorCode::stalled);  // one of pong's
}

TEST(BrokenMechanism, ThatBringsBackAnOldSignalHasStalled) {
  EXPECT_EQ((failure_of<WrongStep<41, -1>>()), ErrorCode::stalled);
}

TEST(BrokenMechanism, ThatDoublesAHandOverBreaksTheSequence) {
  EXPECT_EQ((failure_of<WrongStep<40, 2>>()), ErrorCode::sequence_broken);
  EXPECT_EQ((failure_of<WrongStep<41, 2>>()), ErrorCode::sequence_broken);
}

TEST(BrokenMechanism, ThatReordersBreaksTheSequence) {  // the side's next signal arrives before this one
  EXPECT_EQ((failure_of<WrongStep<40, 3>>()), ErrorCode::sequence_broken);
  EXPECT_EQ((failure_of<WrongStep<41, 3>>()), ErrorCode::sequence_broken);
}

TEST(BrokenMechanism, ThatTearsANumberBreaksTheSequence) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 40;
  EXPECT_EQ((failure_of<WrongStep<40, kHalf + 1>>()), ErrorCode::sequence_broken);
  EXPECT_EQ((failure_of<WrongStep<41, kHalf + 1>>()), ErrorCode::sequence_broken);
}

/// Park, but ping's turn 40 rings no bell: pong sleeps on.
struct ForgetsToWake : Park {
  using Park::Park;

  template <Side S>
  std::uint64_t turn(Cell& cell, std::uint64_t expected) const {
    if (expected != 40) return Park::turn<S>(cell, expected);
    while (cell.pong.load() < TwoCounters<S>::theirs(expected)) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // pong has gone to sleep by now
    cell.ping.store(TwoCounters<S>::own(expected) + 1);
    return expected;
  }
};

TEST(BrokenMechanism, ThatLosesAWakeUpHasStalled) { EXPECT_EQ(failure_of<ForgetsToWake>(), ErrorCode::stalled); }

/// The first visit takes the turns 0 to 5 and is so slow that it is the whole warm-up; its last turn finds the sequence
/// broken. Only pong knows then, while ping waits for pong to read its counters.
struct BreaksAtTheEndOfWarmUp : WrongStep<4, 2> {
  using WrongStep::WrongStep;

  template <Side S>
  std::uint64_t turn(Cell& cell, std::uint64_t expected) const {
    if (expected == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return WrongStep::turn<S>(cell, expected);
  }
};

TEST(BrokenMechanism, ThatBreaksWherePongAloneSeesItIsNoticed) {
  auto request = tests::quick_request(std::nullopt, std::nullopt);
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0};
  request.bound_ns = kSecond;
  try {
    trial_of<BreaksAtTheEndOfWarmUp>(request)->run();
    FAIL() << "not noticed";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::sequence_broken);
    EXPECT_STREQ(failure.what(), "Hand-over 5 was due, but 6 was there: one was lost or doubled.");
  }
}

/// Loses a signal, so that only poison can end it, and overwrites the poison of the first tries, as a side may that is
/// just storing.
struct HardOfHearing : WrongStep<4, 0> {
  using WrongStep::WrongStep;
  inline static std::atomic<int> tries = 0;

  static void stop(Cell& cell) {
    if (++tries > 3) Cas::stop(cell);
  }
};

TEST(BrokenMechanism, ThatOverwritesThePoisonIsStoppedAgain) {
  EXPECT_EQ(failure_of<HardOfHearing>(), ErrorCode::stalled);
  EXPECT_GT(HardOfHearing::tries, 3);
}

/// Never hands over and does not listen to stop(), until the test lets it go.
struct Deaf : Cas {
  using Cas::Cas;
  inline static std::atomic<bool> let_go = false;

  template <Side S>
  static std::uint64_t turn(Cell& /*cell*/, std::uint64_t /*expected*/) {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return kPoison;
  }
  static void stop(Cell& /*cell*/) {}
};

TEST(BrokenMechanism, ThatIgnoresStopIsUnstoppable) {
  auto request = tests::quick_request(std::nullopt, std::nullopt);
  request.bound_ns = 20 * kMillisecond;
  static Trial& trial = *trial_of<Deaf>(request).release();  // its threads still use it when the test is over
  try {
    trial.run();
    ADD_FAILURE() << "not noticed";
  } catch (const Unstoppable& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::stalled);
  }
  Deaf::let_go = true;
}

}  // namespace
}  // namespace threadping::signal

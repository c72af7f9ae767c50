// What every signal must do, whatever it is made of.

#include "support/signals.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/players.hpp"

namespace threadping::signals {
namespace {

using tests::AnySignal;
using tests::NamedSignal;

/// More often than a pipe, a socket or a semaphore can hold.
constexpr std::uint64_t kMany = 100'000;

class SignalConformance : public testing::TestWithParam<NamedSignal> {
 protected:
  const std::shared_ptr<AnySignal> signal = GetParam().make();
  tests::Playing players{[stopped = signal] { stopped->stop(); }};
};

INSTANTIATE_TEST_SUITE_P(Every, SignalConformance, testing::ValuesIn(tests::every_signal()),
                         [](const auto& info) { return info.param.name; });

TEST_P(SignalConformance, HasPublishedZeroFromTheStart) {
  EXPECT_EQ(signal->peek(), 0U);
  EXPECT_EQ(signal->await(0), 0U);
}

TEST_P(SignalConformance, ShowsWhatIsPublished) {
  for (std::uint64_t n = 1; n <= 100; ++n) {
    signal->publish(n);
    ASSERT_EQ(signal->peek(), n);
    ASSERT_EQ(signal->await(n), n);
  }
}

TEST_P(SignalConformance, GivesTheLastOfSeveral) {
  for (std::uint64_t n = 1; n <= 70; ++n) signal->publish(n);
  EXPECT_EQ(signal->await(1), 70U);
  signal->publish(71);
  EXPECT_EQ(signal->await(71), 71U);
  signal->publish(72);
  signal->publish(73);
  EXPECT_EQ(signal->await(73), 73U);
}

TEST_P(SignalConformance, BearsThatNobodyAwaits) {
  for (std::uint64_t n = 1; n <= kMany; ++n) signal->publish(n);
  EXPECT_EQ(signal->await(1), kMany);
  players.start([&] { EXPECT_EQ(signal->await(kMany + 1), kMany + 1); });
  signal->publish(kMany + 1);
  EXPECT_TRUE(players.end()) << "what nobody took has covered what came later";
}

TEST_P(SignalConformance, WakesTheAwaiterForEveryNumber) {
  constexpr std::uint64_t kNumbers = 200;
  std::atomic<std::uint64_t> seen = 0;
  players.start([&] {
    for (std::uint64_t n = 1; n <= kNumbers && seen < kStopped; ++n) seen = signal->await(n);
  });
  for (std::uint64_t n = 1; n <= kNumbers; ++n) {
    signal->publish(n);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (seen < n && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    ASSERT_EQ(seen, n) << "a number was lost";
  }
  EXPECT_TRUE(players.end());
}

TEST_P(SignalConformance, NeverGivesLessThanWasAwaited) {
  constexpr std::uint64_t kNumbers = 2000;
  players.start([&] {
    for (std::uint64_t seen = 0; seen < kNumbers;) {
      const std::uint64_t next = signal->await(seen + 1);
      if (next >= kStopped) return;
      ASSERT_GT(next, seen);
      ASSERT_LE(next, kNumbers);
      seen = next;
    }
  });
  players.start([&] {
    for (std::uint64_t n = 1; n <= kNumbers; ++n) signal->publish(n);
  });
  EXPECT_TRUE(players.end()) << "a number was lost";
}

/// A data race otherwise.
TEST_P(SignalConformance, OrdersWhatWasWrittenBefore) {
  if (!GetParam().orders) GTEST_SKIP() << "it guarantees none";
  constexpr std::uint64_t kNumbers = 500;
  std::vector<std::uint64_t> written(kNumbers + 1, 0);
  players.start([&] {
    for (std::uint64_t seen = 0; seen < kNumbers;) {
      seen = signal->await(seen + 1);
      if (seen >= kStopped) return;
      EXPECT_EQ(written[seen], seen);
    }
  });
  players.start([&] {
    for (std::uint64_t n = 1; n <= kNumbers; ++n) {
      written[n] = n;
      signal->publish(n);
    }
  });
  EXPECT_TRUE(players.end());
}

TEST_P(SignalConformance, StopEndsAWait) {
  signal->publish(1);
  EXPECT_EQ(signal->await(1), 1U);
  players.start([&] { EXPECT_GE(signal->await(2), kStopped); });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // it has gone to sleep by now, or not
  EXPECT_TRUE(players.stop());
}

TEST_P(SignalConformance, StopEndsAWaitWhileNumbersArePublished) {
  std::atomic<bool> ended = false;
  players.start([&] {
    for (std::uint64_t seen = 0; seen < kStopped;) seen = signal->await(seen + 1);
    ended = true;
  });
  players.start([&] {
    for (std::uint64_t n = 1; !ended; ++n) signal->publish(n);
  });
  EXPECT_TRUE(players.stop());
}

TEST_P(SignalConformance, StaysStopped) {
  signal->publish(1);
  for (int again = 0; again < 3; ++again) {
    signal->stop();
    EXPECT_GE(signal->peek(), kStopped);
    for (const std::uint64_t n : {1, 2, 3, 4, 5}) EXPECT_GE(signal->await(n), kStopped);
  }
}

}  // namespace
}  // namespace threadping::signals

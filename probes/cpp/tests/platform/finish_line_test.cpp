#include "platform/finish_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "platform/clock.hpp"

namespace threadping::platform {
namespace {

constexpr std::uint64_t kGenerous = 60'000'000'000;

TEST(FinishLine, OnlyLooksWithoutATimeout) {
  FinishLine finish(2);
  EXPECT_FALSE(finish.wait(0));
  finish.cross();
  EXPECT_FALSE(finish.wait(0));
  finish.cross();
  EXPECT_TRUE(finish.wait(0));
}

TEST(FinishLine, SleepsUntilTheLastHasCrossed) {
  FinishLine finish(3);
  std::thread runner([&] {
    for (int crossing = 0; crossing < 3; ++crossing) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      finish.cross();
    }
  });
  EXPECT_TRUE(finish.wait(kGenerous));
  runner.join();
}

TEST(FinishLine, GivesUpAfterTheTimeout) {
  FinishLine finish(1);
  const std::uint64_t start = now_ns();
  EXPECT_FALSE(finish.wait(3'000'000));
  EXPECT_GE(now_ns() - start, 3'000'000U);
}

TEST(FinishLine, StaysCrossed) {
  FinishLine finish(1);
  finish.cross();
  EXPECT_TRUE(finish.wait(kGenerous));
  EXPECT_TRUE(finish.wait(0));
}

TEST(FinishLine, IsCrossedByNobodyAtOnce) { EXPECT_TRUE(FinishLine(0).wait(0)); }

/// What a runner wrote before it crossed is seen by whoever waited; a data race otherwise.
TEST(FinishLine, OrdersWhatWasWrittenBefore) {
  FinishLine finish(1);
  int written = 0;
  std::thread runner([&] {
    written = 42;
    finish.cross();
  });
  ASSERT_TRUE(finish.wait(kGenerous));
  EXPECT_EQ(written, 42);
  runner.join();
}

}  // namespace
}  // namespace threadping::platform

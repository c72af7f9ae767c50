#include "platform/bell.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "platform/clock.hpp"
#include "platform/shared.hpp"

namespace threadping::platform {
namespace {

std::uint64_t in_a_minute() { return now_ns() + 60'000'000'000; }

TEST(Bell, OnlyLooksWhereTheTimeHasPassed) {
  const Bell bell;
  int looks = 0;
  EXPECT_FALSE(bell.await([&] { return ++looks > 5; }, 0));
  EXPECT_GE(looks, 1);
  EXPECT_LE(looks, 2);
  EXPECT_TRUE(bell.await([] { return true; }, 0));
}

TEST(Bell, LetsSleepUntilItIsDone) {
  const Bell bell;
  std::atomic<int> rings = 0;
  std::thread ringer([&] {
    for (int ring = 0; ring < 3; ++ring) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++rings;
      bell.ring();
    }
  });
  EXPECT_TRUE(bell.await([&] { return rings == 3; }, in_a_minute()));
  ringer.join();
}

TEST(Bell, LooksAgainOnlyWhenItRings) {
  const Bell bell;
  for (int ring = 0; ring < 4; ++ring) bell.ring();
  int looks = 0;
  EXPECT_FALSE(bell.await([&] { return ++looks > 10; }, now_ns() + 3'000'000));
  EXPECT_EQ(looks, 3) << "at first, for all the rings together, and at the end";
}

TEST(Bell, GivesUpWhenTheTimeHasPassed) {
  const std::uint64_t until = now_ns() + 3'000'000;
  EXPECT_FALSE(Bell().await([] { return false; }, until));
  EXPECT_GE(now_ns(), until);
}

/// What was written before a ring is seen by whoever awaited what it rings for; a data race otherwise.
TEST(Bell, OrdersWhatWasWrittenBefore) {
  const Bell bell;
  int written = 0;
  std::atomic<bool> done = false;
  std::thread ringer([&] {
    written = 42;
    done = true;
    bell.ring();
  });
  ASSERT_TRUE(bell.await([&] { return done.load(); }, in_a_minute()));
  EXPECT_EQ(written, 42);
  ringer.join();
}

TEST(Bell, IsHeardFromAnotherProcess) {
  const Bell bell;
  const Shared<std::atomic<bool>> done(1, Sharing::processes);
  const pid_t ringer = fork();
  if (ringer == 0) {
    done[0] = true;
    bell.ring();
    _exit(0);
  }
  EXPECT_TRUE(bell.await([&] { return done[0].load(); }, in_a_minute()));
  waitpid(ringer, nullptr, 0);
}

}  // namespace
}  // namespace threadping::platform

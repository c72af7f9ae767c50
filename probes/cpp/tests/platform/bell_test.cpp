#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "platform/clock.hpp"
#include "platform/futex.hpp"
#include "platform/memory.hpp"

namespace threadping::platform {
namespace {

constexpr std::uint64_t kGenerous = 60'000'000'000;

TEST(Bell, IsAskedAgainOnlyWhenItRingsAndAtTheEnd) {
  Bell bell;
  int looks = 0;
  const auto never = [&] { return ++looks > 10; };
  EXPECT_FALSE(bell.await(never, 0));
  EXPECT_LE(std::exchange(looks, 0), 2);
  for (int ring = 0; ring < 4; ++ring) bell.ring();
  const std::uint64_t until = now_ns() + 3'000'000;
  EXPECT_FALSE(bell.await(never, until));
  EXPECT_EQ(looks, 2) << "at first, after all those rings, and at the end";
  EXPECT_GE(now_ns(), until);
  EXPECT_TRUE(bell.await([] { return true; }, 0));
}

/// What was written before a ring is seen by the thread that awaited what it rings for; a data race otherwise.
TEST(Bell, LetsSleepUntilItIsDone) {
  Bell bell;
  int written = 0;
  std::atomic<int> rings = 0;
  std::thread ringer([&] {
    for (int ring = 0; ring < 3; ++ring) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++written;
      ++rings;
      bell.ring();
    }
  });
  EXPECT_TRUE(bell.await([&] { return rings == 3; }, now_ns() + kGenerous));
  EXPECT_EQ(written, 3);
  ringer.join();
}

TEST(Bell, IsHeardFromAnotherProcess) {
  const Shared<Bell> bell(1, Sharing::processes);
  const Shared<std::atomic<bool>> done(1, Sharing::processes);
  const pid_t ringer = fork();
  if (ringer == 0) {
    done[0] = true;
    bell->ring();
    _exit(0);
  }
  EXPECT_TRUE(bell->await([&] { return done[0].load(); }, now_ns() + kGenerous));
  waitpid(ringer, nullptr, 0);
}

}  // namespace
}  // namespace threadping::platform

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "platform/clock.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "support/failures.hpp"

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

/// Not looked for again and again: EFAULT represents whatever else the kernel may say, as a sandbox has it say.
TEST(AFutex, ThatTheKernelRefusesIsAFailure) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is there
  auto& nowhere = *reinterpret_cast<std::atomic<std::uint32_t>*>(kPage);
  const auto refusal_of = [](const std::function<void()>& call) { return tests::failure_of(call); };
  const std::string to_sleep =
      "internal: The kernel does not let a thread sleep by futex(2) (Bad address): threads cannot wait for each other "
      "here. A sandbox may forbid it.";
  for (const Sharing sharing : {Sharing::threads, Sharing::processes}) {
    EXPECT_EQ(refusal_of([&] { futex_wait(nowhere, 0, sharing); }), to_sleep);
    EXPECT_EQ(refusal_of([&] { static_cast<void>(futex_wait_until(nowhere, 0, sharing, kGenerous)); }), to_sleep);
  }
  EXPECT_TRUE(refusal_of([&] {
                futex_wake(nowhere, Sharing::processes);
              }).starts_with("internal: The kernel does not wake a thread by futex(2) (Bad address)"));
}

TEST(AFutex, ThatNeedNotSleepIsNoFailure) {
  std::atomic<std::uint32_t> word = 1;
  futex_wait(word, 0, Sharing::threads);
  EXPECT_TRUE(futex_wait_until(word, 0, Sharing::threads, now_ns() + kGenerous));
  EXPECT_FALSE(futex_wait_until(word, 1, Sharing::threads, now_ns()));
}

}  // namespace
}  // namespace threadping::platform

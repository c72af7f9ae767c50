#include "platform/threads.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "platform/shared.hpp"

namespace threadping::platform {
namespace {

/// In which process each of two ran that were started in this way.
std::pair<int, int> processes_of(Sharing sharing) {
  const Shared<std::atomic<int>> seen(2, sharing);
  {
    Threads threads;
    for (const std::size_t index : {0, 1}) threads.start(sharing, [&, index] { seen[index] = getpid(); });
  }
  return {seen[0], seen[1]};
}

TEST(Threads, RunInThisProcess) { EXPECT_EQ(processes_of(Sharing::threads), std::pair(getpid(), getpid())); }

TEST(Threads, ThatAreProcessesShareTheMemory) {
  const auto [one, other] = processes_of(Sharing::processes);
  EXPECT_NE(one, 0);
  EXPECT_NE(one, getpid());
  EXPECT_NE(other, 0);
  EXPECT_NE(other, one);
}

TEST(Threads, AreWaitedForAndMayBeStartedAgain) {
  std::atomic<int> ended = 0;
  Threads threads;
  for (int round = 1; round <= 2; ++round) {
    threads.start(Sharing::threads, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ended;
    });
    threads.join();
    EXPECT_EQ(ended, round);
  }
}

TEST(Threads, SayThatTheSystemRefused) {
  Threads threads([](const std::function<void()>& /*run*/) -> std::thread {
    throw std::system_error(EAGAIN, std::generic_category());
  });
  EXPECT_THROW(threads.start(Sharing::threads, [] {}), std::system_error);
}

/// How a process ended that ran this.
std::string death_of(const std::function<void()>& run) {
  Threads threads;
  threads.start(Sharing::processes, run);
  while (true) {
    if (const auto how = threads.died()) return *how;
    std::this_thread::yield();
  }
}

TEST(Threads, TellHowAProcessDied) {
  EXPECT_EQ(death_of([] { _exit(7); }), "exit status 7");
  EXPECT_EQ(death_of([] { kill(getpid(), SIGKILL); }), "signal 9");
}

TEST(Threads, ThatLiveOrHaveComeToTheirEndHaveNotDied) {
  Threads threads;
  threads.start(Sharing::processes, [] {});
  threads.start(Sharing::processes, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the first has ended by now, or the test says less
  EXPECT_EQ(threads.died(), std::nullopt);
  threads.abandon();  // or the test would wait for an hour
  threads.join();
}

TEST(Threads, ThatAreAbandonedAreNotWaitedFor) {
  Threads threads;
  threads.start(Sharing::threads, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  threads.abandon();
}

}  // namespace
}  // namespace threadping::platform

#include "platform/threads.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <set>
#include <system_error>

#include "platform/memory.hpp"

namespace threadping::platform {
namespace {

void sleep_for_an_hour() { std::this_thread::sleep_for(std::chrono::hours(1)); }

/// In which processes two of them ran, for which was waited.
std::set<int> processes_of(Sharing sharing) {
  const Shared<std::atomic<int>> seen(2, sharing);
  {
    Threads threads;
    for (const std::size_t index : {0, 1})
      threads.start(sharing, [&, index] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        seen[index] = getpid();
      });
  }
  return {seen[0], seen[1]};
}

TEST(Threads, RunInThisProcess) { EXPECT_EQ(processes_of(Sharing::threads), std::set{getpid()}); }

TEST(Threads, ThatAreProcessesShareTheMemory) {
  const std::set<int> processes = processes_of(Sharing::processes);
  EXPECT_EQ(processes.size(), 2U);
  EXPECT_FALSE(processes.contains(0) || processes.contains(getpid()));
}

TEST(Threads, SayThatTheSystemRefused) {
  const auto refuse = [](const auto& /*run*/) -> Threads::Join {
    throw std::system_error(EAGAIN, std::generic_category());
  };
  EXPECT_THROW(Threads().start(Sharing::threads, [] {}, refuse), std::system_error);
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

TEST(Threads, ReportHowAProcessDied) {
  EXPECT_EQ(death_of([] { _exit(7); }), "exit status 7");
  EXPECT_EQ(death_of([] { kill(getpid(), SIGKILL); }), "signal 9");
}

TEST(Threads, ThatLiveOrHaveComeToTheirEndHaveNotDiedAndMayBeAbandoned) {
  Threads threads;
  threads.start(Sharing::processes, [] {});
  threads.start(Sharing::processes, sleep_for_an_hour);
  threads.start(Sharing::threads, sleep_for_an_hour);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the first has ended by now, or the test says less
  EXPECT_EQ(threads.died(), std::nullopt);
  threads.abandon();  // or the test would wait for an hour
}

}  // namespace
}  // namespace threadping::platform

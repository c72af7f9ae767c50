#include "platform/partner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include "platform/shared.hpp"

namespace threadping::platform {
namespace {

struct Seen {
  std::atomic<int> process{0};
};

TEST(Partner, AsAThreadRunsInThisProcess) {
  const Shared<Seen> seen(Sharing::threads);
  {
    const Partner partner(Sharing::threads, [&] { seen->process = getpid(); });
  }
  EXPECT_EQ(seen->process, getpid());
}

TEST(Partner, AsAProcessRunsInAnotherThatSharesTheMemory) {
  const Shared<Seen> seen(Sharing::processes);
  {
    const Partner partner(Sharing::processes, [&] { seen->process = getpid(); });
  }
  EXPECT_NE(seen->process, 0);
  EXPECT_NE(seen->process, getpid());
}

/// How a process ended that ran this.
template <class Run>
std::string death_of(Run run) {
  Partner partner(Sharing::processes, run);
  while (true) {
    if (const auto how = partner.died()) return *how;
    std::this_thread::yield();
  }
}

TEST(Partner, TellsHowAProcessDied) {
  EXPECT_EQ(death_of([] { _exit(7); }), "exit status 7");
  EXPECT_EQ(death_of([] { kill(getpid(), SIGKILL); }), "signal 9");
}

TEST(Partner, ThatLivesHasNotDied) {
  Partner partner(Sharing::processes, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  EXPECT_EQ(partner.died(), std::nullopt);
  partner.abandon();  // or the test would wait for an hour
}

}  // namespace
}  // namespace threadping::platform

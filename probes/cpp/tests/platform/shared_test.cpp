#include "platform/shared.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "platform/memory.hpp"
#include "support/failures.hpp"

namespace threadping::platform {
namespace {

/// Counts how many of it are alive.
struct alignas(128) Living {
  inline static int alive = 0;
  int value = 7;
  Living() { ++alive; }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  ~Living() { --alive; }
};

TEST(Shared, MakesAndDestroysThem) {
  {
    const Shared<Living> shared(5, Sharing::threads);
    EXPECT_EQ(shared.size(), 5U);
    EXPECT_EQ(std::ranges::count(shared, 7, &Living::value), 5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&shared[1]) % alignof(Living), 0U);
    EXPECT_EQ(Living::alive, 5);
  }
  EXPECT_EQ(Living::alive, 0);
}

/// What a forked process reads here after it has written 9 there.
int seen_after_another_process_wrote(Sharing sharing) {
  const Shared<Living> shared(2, sharing);
  const pid_t writer = fork();
  if (writer == 0) {
    shared[1].value = 9;
    _exit(0);
  }
  waitpid(writer, nullptr, 0);
  return shared[1].value;
}

TEST(Shared, IsSeenByAnotherProcessWhereItIsToBe) {
  EXPECT_EQ(seen_after_another_process_wrote(Sharing::processes), 9);
  EXPECT_EQ(seen_after_another_process_wrote(Sharing::threads), 7);
}

TEST(Memory, ThatTheSystemRefusesIsAFailure) {
  const std::string refusal = tests::failure_of([] { const Memory memory(std::size_t{1} << 60, Sharing::threads); });
  EXPECT_TRUE(refusal.starts_with("internal: No memory for 1125899906842624 KiB of lines: ")) << refusal;
}

}  // namespace
}  // namespace threadping::platform

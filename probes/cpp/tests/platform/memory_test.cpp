#include "platform/memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "platform/lines.hpp"
#include "support/failures.hpp"

namespace threadping::platform {
namespace {

TEST(Memory, ThatTheSystemRefusesIsAFailure) {
  const std::string refusal = tests::failure_of([] { const Memory memory(std::size_t{1} << 60, Sharing::threads); });
  EXPECT_TRUE(refusal.starts_with("internal: No memory for 1125899906842624 KiB of lines: ")) << refusal;
}

/// Counts how many of it are alive.
struct alignas(kLinePair) Living {
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
    EXPECT_EQ(std::ranges::count(shared, 7, &Living::value), 5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&shared[1]) % kLinePair, 0U);
    EXPECT_EQ(Living::alive, 5);
  }
  EXPECT_EQ(Living::alive, 0);
}

TEST(Shared, IsSeenByAnotherProcessWhereItIsToBe) {
  for (const Sharing sharing : {Sharing::processes, Sharing::threads}) {
    const Shared<Living> shared(2, sharing);
    const pid_t writer = fork();
    if (writer == 0) {
      shared[1].value = 9;
      _exit(0);
    }
    waitpid(writer, nullptr, 0);
    EXPECT_EQ(shared[1].value, sharing == Sharing::processes ? 9 : 7);
  }
}

TEST(Lines, MakesAndDestroysItsCells) {
  {
    const Lines<Living> lines(7);
    EXPECT_EQ(lines.size(), 7U);
    EXPECT_EQ(Living::alive, 7);
  }
  EXPECT_EQ(Living::alive, 0);
  const auto make = [](void* place, std::byte* /*room*/) {
    if (Living::alive == 3) throw std::runtime_error("no more");
    new (place) Living;
  };
  EXPECT_THROW(Lines<Living>(7, Sharing::threads, 0, make), std::runtime_error);
  EXPECT_EQ(Living::alive, 0) << "those that it had made";
}

TEST(Memory, OfMoreThanAGibibyteIsRefusedWithWhatToLower) {
  EXPECT_EQ(tests::failure_of([] { refuse_excess(kMostBytes, "the cells", "ask for fewer"); }), "accepted");
  EXPECT_EQ(tests::failure_of([] { refuse_excess(kMostBytes + 1, "the cells", "ask for fewer"); }),
            "bad-request: Of memory the cells would take 1,025 MiB, and may take 1,024: ask for fewer.");
}

}  // namespace
}  // namespace threadping::platform

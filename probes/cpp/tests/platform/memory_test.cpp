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
  const std::string refusal = tests::failure_of([] { const Memory memory(0, Sharing::threads); });
  EXPECT_TRUE(refusal.starts_with("unsupported: No memory for 0 KiB of lines (Invalid argument): ")) << refusal;
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
  const auto make = [](void* place, std::byte* /*extra*/) {
    if (Living::alive == 3) throw std::runtime_error("no more");
    new (place) Living;
  };
  EXPECT_THROW(Lines<Living>(7, Sharing::threads, 0, make), std::runtime_error);
  EXPECT_EQ(Living::alive, 0) << "those that it had made";
}

/// Whatever it is for. Nothing of it is touched.
TEST(Memory, OfMoreThanIsLeftInAllIsRefusedWithWhatToLower) {
  const std::size_t left = bytes_left();
  EXPECT_LE(left, kMostBytes);
  const auto refusal_of = [](std::size_t bytes) {
    return tests::failure_of([&] { const Claim claim(bytes, "the cells", "ask for fewer"); });
  };
  EXPECT_EQ(refusal_of(left), "accepted");
  EXPECT_TRUE(refusal_of(left + 1).starts_with("bad-request: Of memory the cells would take "));
  EXPECT_TRUE(refusal_of(left + 1).ends_with(": ask for fewer."));
  {
    constexpr std::size_t kSome = std::size_t{1} << 20;
    const Claim one(kSome, "the cells", "ask for fewer");
    const Memory other(kSome, Sharing::threads);
    EXPECT_EQ(bytes_left(), left - 2 * kSome);
    EXPECT_NE(refusal_of(left), "accepted");
  }
  EXPECT_EQ(bytes_left(), left) << "what is gone counts no more";
}

}  // namespace
}  // namespace threadping::platform

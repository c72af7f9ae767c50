#include "own/bare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "examples/cpp/atomic_wait.hpp"
#include "examples/cpp/spin_flag.hpp"
#include "examples/cpp/spinlock.hpp"
#include "examples/cpp/spsc_ring.hpp"
#include "own/watching.hpp"
#include "platform/pinning.hpp"
#include "tests/own/broken/mailbox.hpp"
#include "tests/own/broken/reordered.hpp"

namespace threadping::own {
namespace {

/// One CPU for both where there is no other.
Standing two_cpus() {
  const platform::CpuSet cpus = platform::allowed_cpus();
  return {cpus.front(), cpus.back()};
}

TEST(Bare, TimesEveryConcept) {
  const Standing cpus = two_cpus();
  EXPECT_GT(signal_in_bare_loop<AtomicFlag>(cpus, 1), 0);
  EXPECT_GT(lock_in_bare_loop<Spinlock>(cpus, 1'000), 0);
  EXPECT_GT(queue_in_bare_loop<Mailbox<queues::Bare>>(cpus, 100), 0);
  if (cpus[0] == cpus[1]) GTEST_SKIP() << "What spins would take its time slices.";
  EXPECT_GT(signal_in_bare_loop<SpinFlag>(cpus, 1'000), 0);
  EXPECT_GT(queue_in_bare_loop<SpscRing<queues::Bare>>(cpus, 200'000), 0);
}

TEST(Bare, AsksForMoreUntilItsTimeIsFull) {
  std::vector<std::uint64_t> asked;
  const auto loop = [&](const Standing& /*cpus*/, std::uint64_t count) {
    asked.push_back(count);
    return 100.0;
  };
  EXPECT_EQ(ns_in_bare_loop(loop, two_cpus(), 10'000'000), 100.0);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{1'024, 4'096, 16'384, 16'384, 100'000}));
}

TEST(Bare, IsNoShorterBecauseALoopWasDisturbed) {
  std::vector<std::uint64_t> asked;
  const auto loop = [&](const Standing& /*cpus*/, std::uint64_t count) {
    asked.push_back(count);
    return asked.size() == 3 ? 1e4 : 100.0;
  };
  static_cast<void>(ns_in_bare_loop(loop, two_cpus(), 10'000'000));
  EXPECT_EQ(asked.back(), 100'000U);
}

/// A few messages are there before their taker begins, and seem to take no time.
TEST(Bare, IsNoLongerBecauseAShortLoopWasQuick) {
  std::vector<std::uint64_t> asked;
  const auto loop = [&](const Standing& /*cpus*/, std::uint64_t count) {
    asked.push_back(count);
    return count < 4'096 ? 1.0 : 100.0;
  };
  static_cast<void>(ns_in_bare_loop(loop, two_cpus(), 10'000'000));
  EXPECT_EQ(asked.back(), 100'000U);
}

TEST(Bare, IsNoShorterThanTheLoopThatTimedIt) {
  std::vector<std::uint64_t> asked;
  const auto loop = [&](const Standing& /*cpus*/, std::uint64_t count) {
    asked.push_back(count);
    return 1e6;
  };
  static_cast<void>(ns_in_bare_loop(loop, two_cpus(), 1'000));
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{1'024, 1'024, 1'024}));
}

TEST(Bare, CountsMessagesThatWereNotDue) {
  BareQueue<Reordered<queues::Bare>> reordered;
  send_bare(reordered, 2'000);
  EXPECT_GT(take_bare(reordered, 2'000), 0U);
  BareQueue<SpscRing<queues::Bare>> right;
  send_bare(right, 2'000);
  EXPECT_EQ(take_bare(right, 2'000), 0U);
}

/// It is never full, and says how many it held.
template <class Message>
struct Heap {
  static constexpr bool kBounded = false;
  static inline std::size_t most = 0;
  explicit Heap(std::size_t /*size*/) {}
  bool push(const Message& message) {
    const std::scoped_lock lock(mutex);
    messages.push_back(message);
    most = std::max(most, messages.size());
    return true;
  }
  bool pop(Message& message) {
    const std::scoped_lock lock(mutex);
    if (messages.empty()) return false;
    message = messages.front();
    messages.pop_front();
    return true;
  }
  std::mutex mutex;
  std::deque<Message> messages;
};

TEST(Bare, HasNoMoreInFlightThanTheSizeOfWhatIsNeverFull) {
  EXPECT_GT(queue_in_bare_loop<Heap<queues::Bare>>(two_cpus(), 4 * kBareSize), 0);
  EXPECT_LE(Heap<queues::Bare>::most, kBareSize);
}

// NOLINTBEGIN(cppcoreguidelines-avoid-goto): GoogleTest's
TEST(Bare, RefusesMessagesThatWereNotDue) {
  EXPECT_EXIT(refuse_wrong(3), testing::ExitedWithCode(1),
              "^3 messages came in the hand-written baseline that were not due\\.");
}
// NOLINTEND(cppcoreguidelines-avoid-goto)

}  // namespace
}  // namespace threadping::own

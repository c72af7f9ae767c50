// A lock that is broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <thread>

#include "experiments/all.hpp"
#include "experiments/lock/players.hpp"
#include "mechanisms/locks/locks.hpp"
#include "support/failures.hpp"

namespace threadping::lock {
namespace {

/// Takes a mutex, but increments after its release.
struct IncrementsOutside {
  static constexpr bool kExact = true;
  static constexpr bool kCountsHands = false;
  static constexpr std::size_t kSeatBytes = 0;
  using Own = locks::Mutex::Own;

  explicit IncrementsOutside(locks::Seats /*seats*/) {}
  static Own own(std::size_t /*thread*/) { return {}; }
  template <bool kCounts, class Work>
  void perform(Own own, locks::Handoffs& /*hands*/, Work /*critical*/) {
    mutex.acquire(own);
    const std::uint64_t value = counter;
    mutex.release(own);
    std::this_thread::yield();
    counter = value + 1;
  }
  static locks::Handoffs hands(std::size_t /*thread*/) { return {.mark = 0}; }
  template <class Work>
  engine::Timing perform_timed(Own own, locks::Handoffs& hands, Work critical) {
    perform<true>(own, hands, critical);
    return {};
  }
  [[nodiscard]] std::uint64_t sum() const { return counter; }

  locks::Mutex mutex;
  std::atomic<std::uint64_t> counter = 0;
};

TEST(BrokenLock, ThatIncrementsOutsideLosesIncrements) {
  const std::string why = tests::failure_of_trial(tests::kMakes<LockStage<IncrementsOutside>>, experiment(), "mutex");
  EXPECT_TRUE(why.starts_with("count-wrong: Of ")) << why;
  EXPECT_TRUE(why.ends_with(" lost.")) << why;
}

}  // namespace
}  // namespace threadping::lock

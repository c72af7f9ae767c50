// Locks that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "crew/trial.hpp"
#include "lock/lock.hpp"
#include "lock/loops.hpp"
#include "lock/mechanisms/mutex.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"

namespace threadping::lock {
namespace {

using tests::kMillisecond;

/// How a quick trial of this cell, in place of a mutex, ends.
template <class Cell>
std::string failure_of() {
  auto request = tests::quick_request(experiment(), tests::unpinned(2));
  request.lines = 1;
  request.patience_ns = 50 * kMillisecond;
  request.bound_ns = 500 * kMillisecond;
  const crew::Mechanism& mutex = crew::mechanism_for(request, experiment());
  const crew::Params params(mutex, {});
  const crew::Setup setup{.params = params, .lines = request.lines, .threads = 2};
  return tests::failure_of([&] { crew::run(request, experiment(), mutex, std::make_unique<LockLoops<Cell>>(setup)); });
}

/// What is common to the broken ones: a mutex, and a counter that can be read without it. `Cell` says what an operation
/// is.
template <class Cell>
struct Broken {
  static constexpr bool kExact = true;
  static constexpr std::size_t kSeatBytes = 0;
  using Own = Mutex::Own;

  explicit Broken(Seats seats) : mutex(seats) {}
  static Own own(std::size_t /*thread*/) { return {}; }
  [[nodiscard]] std::uint64_t sum() const { return counter; }

  template <class Work>
  void perform(Own own, Work /*critical*/) {
    static_cast<Cell*>(this)->operate(own);
  }
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    perform(own, critical);
    return 0;
  }

  Mutex mutex;
  std::atomic<std::uint64_t> counter = 0;
};

/// Takes the lock, but increments after its release.
struct IncrementsOutside : Broken<IncrementsOutside> {
  using Broken::Broken;

  void operate(Own own) {
    mutex.acquire(own);
    const std::uint64_t value = counter;
    mutex.release(own);
    std::this_thread::yield();
    counter = value + 1;
  }
};

TEST(BrokenLock, ThatIncrementsOutsideLosesIncrements) {
  const std::string why = failure_of<IncrementsOutside>();
  EXPECT_TRUE(why.starts_with("count-wrong: Of ")) << why;
  EXPECT_TRUE(why.ends_with(" lost.")) << why;
}

/// Forgets, or doubles, some increments, always the same ones.
template <std::int64_t Error>
struct Miscounts : Broken<Miscounts<Error>> {
  using Broken<Miscounts>::Broken;

  void operate(Mutex::Own own) {
    this->mutex.acquire(own);
    this->counter += this->counter < 1 ? 1 + static_cast<std::uint64_t>(Error) : 1;
    this->mutex.release(own);
  }
};

TEST(BrokenLock, IsToldHowManyIncrementsItDoubled) {
  const std::string one = failure_of<Miscounts<1>>();
  EXPECT_TRUE(one.ends_with(" were found: 1 doubled.")) << one;
  const std::string many = failure_of<Miscounts<12'345>>();
  EXPECT_TRUE(many.ends_with(" were found: 12,345 doubled.")) << many;
  EXPECT_EQ(failure_of<Miscounts<0>>(), "accepted");
}

/// Is never released after some operations, as long as this process lives.
struct NeverReleased : Broken<NeverReleased> {
  using Broken::Broken;

  void operate(Own /*own*/) {
    if (++counter < 100) return;
    for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
};

TEST(BrokenLock, ThatIsNeverReleasedHasStalled) {
  EXPECT_EQ(failure_of<NeverReleased>(),
            "unstoppable, stalled: No thread gets the lock any more: a release was lost, or the lock deadlocks.");
}

}  // namespace
}  // namespace threadping::lock

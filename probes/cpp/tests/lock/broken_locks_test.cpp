// Locks that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "failure.hpp"
#include "lock/cells.hpp"
#include "lock/mechanism.hpp"
#include "lock/mechanisms/mutex.hpp"
#include "lock/trial.hpp"
#include "support/requests.hpp"

namespace threadping::lock {
namespace {

using tests::kMillisecond;
using tests::lock_request;

template <class Cell>
std::unique_ptr<Trial> trial_of(const message::Request& request) {
  const Params params(Cell::kInfo, {});
  return std::make_unique<Trial>(request, std::make_unique<CellsOf<Cell>>(params, request.lines, request.cpus.size()));
}

/// What is common to the broken ones: a mutex, and a counter that can be read without it.
struct Broken {
  static constexpr MechanismInfo kInfo = Mutex::kInfo;
  static constexpr bool kExact = true;
  using Own = Mutex::Own;

  explicit Broken(std::size_t threads) : mutex(threads) {}
  static Own own(std::size_t /*thread*/) { return {}; }
  [[nodiscard]] std::uint64_t sum() const { return counter; }

  Mutex mutex;
  std::atomic<std::uint64_t> counter = 0;
};

/// Takes the lock, but increments after its release.
struct IncrementsOutside : Broken {
  using Broken::Broken;

  template <class Work>
  void perform(Own own, Work /*critical*/) {
    mutex.acquire(own);
    const std::uint64_t value = counter;
    mutex.release(own);
    std::this_thread::yield();
    counter = value + 1;
  }
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    perform(own, critical);
    return 0;
  }
};

TEST(BrokenLock, ThatIncrementsOutsideLosesIncrements) {
  try {
    trial_of<IncrementsOutside>(lock_request(2))->run();
    FAIL() << "not noticed";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::count_wrong);
    const std::string why = failure.what();
    EXPECT_TRUE(why.starts_with("The counter holds ")) << why;
    EXPECT_TRUE(why.ends_with("fewer than were made: the lock let them be lost.")) << why;
  }
}

/// Forgets, or doubles, some increments, always the same ones.
template <std::int64_t Error>
struct Miscounts : Broken {
  using Broken::Broken;

  template <class Work>
  void perform(Own own, Work /*critical*/) {
    mutex.acquire(own);
    counter += counter < 1 ? 1 + static_cast<std::uint64_t>(Error) : 1;
    mutex.release(own);
  }
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    perform(own, critical);
    return 0;
  }
};

template <class Cell>
std::string complaint_of() {
  auto request = lock_request(2);
  request.lines = 1;
  try {
    trial_of<Cell>(request)->run();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::count_wrong);
    return failure.what();
  }
  return "accepted";
}

TEST(BrokenLock, IsToldHowManyIncrementsItDoubled) {
  EXPECT_EQ(complaint_of<Miscounts<1>>(),
            "The counter holds 1 increment more than were made: the lock let some be doubled.");
  EXPECT_EQ(complaint_of<Miscounts<12'345>>(),
            "The counter holds 12,345 increments more than were made: the lock let some be doubled.");
  EXPECT_EQ(complaint_of<Miscounts<0>>(), "accepted");
}

/// Is never released, after some operations, until the test lets it go.
struct NeverReleased : Broken {
  using Broken::Broken;
  inline static std::atomic<bool> let_go = false;

  template <class Work>
  void perform(Own /*own*/, Work /*critical*/) {
    if (++counter < 100) return;
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  template <class Work>
  std::uint64_t perform_timed(Own own, Work critical) {
    perform(own, critical);
    return 0;
  }
};

TEST(BrokenLock, ThatIsNeverReleasedHasStalled) {
  auto request = lock_request(2);
  request.bound_ns = 20 * kMillisecond;
  static Trial& trial = *trial_of<NeverReleased>(request).release();  // its threads still use it when the test is over
  try {
    trial.run();
    ADD_FAILURE() << "not noticed";
  } catch (const Unstoppable& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::stalled);
    EXPECT_STREQ(failure.what(), "No thread gets the lock any more: a release was lost, or the lock deadlocks.");
  }
  NeverReleased::let_go = true;
}

}  // namespace
}  // namespace threadping::lock

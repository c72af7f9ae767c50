#include "own/conformance.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <csignal>
#include <memory>

#include "examples/cpp/atomic_wait.hpp"
#include "own/own.hpp"
#include "own/watching.hpp"
#include "src/threadping/cli/skeletons/barrier.hpp"
#include "tests/own/broken/crashes.hpp"
#include "tests/own/broken/doubled.hpp"
#include "tests/own/broken/early_barrier.hpp"
#include "tests/own/broken/early_meeting.hpp"
#include "tests/own/broken/early_signal.hpp"
#include "tests/own/broken/hanging_signal.hpp"
#include "tests/own/broken/hangs.hpp"
#include "tests/own/broken/lost.hpp"
#include "tests/own/broken/lost_of_many.hpp"
#include "tests/own/broken/lost_release.hpp"
#include "tests/own/broken/lost_signal.hpp"
#include "tests/own/broken/lost_wake_up.hpp"
#include "tests/own/broken/lost_wake_up_barrier.hpp"
#include "tests/own/broken/lost_wake_up_signal.hpp"
#include "tests/own/broken/mixed_rounds_barrier.hpp"
#include "tests/own/broken/never_full.hpp"
#include "tests/own/broken/never_sent.hpp"
#include "tests/own/broken/once_stopped_queue.hpp"
#include "tests/own/broken/once_stopped_signal.hpp"
#include "tests/own/broken/reordered.hpp"
#include "tests/own/broken/throwing_stop.hpp"
#include "tests/own/broken/throws.hpp"
#include "tests/own/broken/throws_at_once.hpp"
#include "tests/own/broken/torn.hpp"
#include "tests/own/broken/two_inside.hpp"
#include "tests/own/broken/unordered_signal.hpp"
#include "tests/own/broken/unstoppable_queue.hpp"
#include "tests/own/broken/unstoppable_signal.hpp"

namespace threadping::own {
namespace {

template <template <class> class Q>
void check_this_queue() {
  check_queue(under_test<Q<Letter>>());
}
template <class S>
void check_this_signal() {
  check_signal([] { return std::make_unique<SignalChecked<S>>(); });
}
template <class L>
void check_this_lock() {
  check_lock([] { return std::make_unique<LockChecked<L>>(); });
}

template <class C>
void check_this_barrier() {
  check_barrier({.make = [](std::size_t workers) { return std::make_unique<BarrierChecked<C>>(workers); },
                 .stops = barriers::Stoppable<BarrierOf<C>>,
                 .is_barrier = !OwnSteps<C>});
}

/// C++20's, unchanged.
struct Meeting {
  explicit Meeting(std::size_t threads) : barrier(static_cast<std::ptrdiff_t>(threads)) {}
  void arrive_and_wait() { barrier.arrive_and_wait(); }
  std::barrier<> barrier;
};

/// Its waits are not ended.
struct UnstoppableBarrier : MyBarrier {
  using MyBarrier::MyBarrier;
  void stop() {}  // NOLINT(bugprone-derived-method-shadowing-base-method): that is what is broken
};

class Conformance : public testing::Test {
 protected:
  void SetUp() override { Together::patience_ms = 400; }
  void TearDown() override {
    Together::patience_ms = Together::kUsualPatience_ms;
    Together::enough_ns = Together::kUsuallyEnough_ns;
  }
};

/// A barrier that spins takes seconds where it has more threads than CPUs: tests/contract/test_own.py has one checked.
TEST_F(Conformance, AcceptsWhatKeepsItsContract) {
  Together::patience_ms = Together::kUsualPatience_ms;
  Together::enough_ns = 50'000'000;
  check_this_queue<SpscRing>();
  check_this_queue<Mailbox>();
  check_this_signal<SpinFlag>();
  check_this_signal<AtomicFlag>();
  check_this_lock<Spinlock>();
  check_this_barrier<MyBarrier>();
  check_this_barrier<Meeting>();
}

// NOLINTBEGIN(cppcoreguidelines-avoid-goto): GoogleTest's
TEST_F(Conformance, RefusesQueuesInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_queue<Lost>(), refused, "^Lost: message [0-9,]+ of [0-9,]+ that were sent did not come\\.");
  EXPECT_EXIT(check_this_queue<LostOfMany>(), refused, "^Lost: message [0-9,]+ of producer [0-2] of [0-9,]+ that were");
  EXPECT_EXIT(check_this_queue<NeverSent>(), refused, "^A message came that nobody had sent\\.");
  EXPECT_EXIT(check_this_queue<Doubled>(), refused, "^Doubled: message [0-9,]+ came twice\\.");
  EXPECT_EXIT(check_this_queue<Reordered>(), refused, "^Reordered: message [0-9,]+ came after message [0-9,]+\\.");
  EXPECT_EXIT(check_this_queue<Torn>(), refused, "^Torn: a message came whose words are not all of one message\\.");
  EXPECT_EXIT(check_this_queue<NeverFull>(), refused,
              "it is never full\\. Say `static constexpr bool kBounded = false;`");
  EXPECT_EXIT(check_this_queue<Hangs>(), refused, "^push\\(\\) to a full queue has not returned");
  EXPECT_EXIT(check_this_queue<Throws>(), refused, "^It threw an exception: the slot is gone\\.");
  EXPECT_EXIT(check_this_queue<ThrowsAtOnce>(), refused, "^It threw an exception: too large\\.");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // those end the process in their own way
  EXPECT_EXIT(check_this_queue<Crashes>(), testing::KilledBySignal(SIGSEGV), "");
#endif
  EXPECT_EXIT(check_this_queue<LostWakeUp>(), refused, "wake-up was lost");
  EXPECT_EXIT(check_this_queue<UnstoppableQueue>(), refused, "^A wait was not ended by stop\\(\\): take\\(\\)");
  EXPECT_EXIT(check_this_queue<OnceStoppedQueue>(), refused,
              "^A wait that began after stop\\(\\) was not ended: take\\(\\)");
}

TEST_F(Conformance, RefusesBarriersInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_barrier<EarlyBarrier>(), refused, "^Early: await\\(1, [0-9,]+\\) returned before release\\(");
  EXPECT_EXIT(check_this_barrier<LostWakeUpBarrier>(), refused,
              "^A wake-up was lost: release\\(100\\) has returned, and await\\([0-2], 100\\) has not");
  EXPECT_EXIT(check_this_barrier<MixedRoundsBarrier>(), refused,
              "^Early: join\\([0-9,]+\\) returned before worker [0-2] had arrived: two rounds would mix\\.");
  EXPECT_EXIT(check_this_barrier<EarlyMeeting>(), refused, "^Early: .*arrive_and_wait\\(\\) of round ");
  EXPECT_EXIT(check_this_barrier<UnstoppableBarrier>(), refused, "^A wait was not ended by stop\\(\\): await\\(\\)");
}

TEST_F(Conformance, RefusesSignalsInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_signal<LostSignal>(), refused,
              "^Lost: publish\\(100\\) has returned, and peek\\(\\) gives 99");
  EXPECT_EXIT(check_this_signal<EarlySignal>(), refused, "^await\\(100\\) gave 99: it returned too early");
  EXPECT_EXIT(check_this_signal<LostWakeUpSignal>(), refused, "^A wake-up was lost: 100 is published");
  EXPECT_EXIT(check_this_signal<UnstoppableSignal>(), refused, "^A wait was not ended by stop\\(\\): await");
  EXPECT_EXIT(check_this_signal<OnceStoppedSignal>(), refused,
              "^A wait that began after stop\\(\\) was not ended: await");
  EXPECT_EXIT(check_this_signal<HangingSignal>(), refused, "^publish\\(10[01]\\) has not returned for some seconds");
  EXPECT_EXIT(check_this_signal<ThrowingStop>(), refused, "^It threw an exception: nobody waits\\.");
#if !defined(__SANITIZE_THREAD__)  // it is the race that it seems
  EXPECT_EXIT(check_this_signal<UnorderedSignal>(), refused,
              "^What was written before publish\\(1[0-9]+\\) was not seen after await\\(1[0-9]+\\): the signal does");
#endif
}

TEST_F(Conformance, RefusesLocksInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_lock<TwoInside>(), refused, "^Two threads were inside at once");
  EXPECT_EXIT(check_this_lock<LostRelease>(), refused, "^No thread gets the lock any more");
}
// NOLINTEND(cppcoreguidelines-avoid-goto)

/// Nobody looks around while messages may wait.
TEST(WaitingQueues, DoNotSayThatTheyWereEmpty) {
  using Queue = WaitingQueueOf<Mailbox>::Of<Letter>;
  const engine::Params params("mailbox", {}, {});
  Queue queue({.size = 2}, params);
  auto sender = Queue::sender(0);
  auto taker = Queue::taker(0);
  ASSERT_TRUE(queue.send(sender, 1, queues::kWrites));
  const queues::Taken came = queue.take(taker, 1, queues::kHandles);
  EXPECT_EQ(came.count, 1U);
  EXPECT_FALSE(came.found_none);
}

}  // namespace
}  // namespace threadping::own

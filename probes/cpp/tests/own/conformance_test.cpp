#include "own/conformance.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "../../../../examples/cpp/atomic_wait.hpp"
#include "../../../../tests/own/broken/crashes.hpp"
#include "../../../../tests/own/broken/doubled.hpp"
#include "../../../../tests/own/broken/early_signal.hpp"
#include "../../../../tests/own/broken/hangs.hpp"
#include "../../../../tests/own/broken/lost.hpp"
#include "../../../../tests/own/broken/lost_release.hpp"
#include "../../../../tests/own/broken/lost_signal.hpp"
#include "../../../../tests/own/broken/lost_wake_up.hpp"
#include "../../../../tests/own/broken/lost_wake_up_signal.hpp"
#include "../../../../tests/own/broken/never_full.hpp"
#include "../../../../tests/own/broken/reordered.hpp"
#include "../../../../tests/own/broken/throws.hpp"
#include "../../../../tests/own/broken/torn.hpp"
#include "../../../../tests/own/broken/two_inside.hpp"
#include "../../../../tests/own/broken/unstoppable_queue.hpp"
#include "../../../../tests/own/broken/unstoppable_signal.hpp"
#include "own/own.hpp"
#include "own/watching.hpp"

namespace threadping::own {
namespace {

template <template <class> class Q>
void check_polled() {
  check_queue(under_test<Q<Letter>, PolledChecked<Q<Letter>>>(false));
}
template <template <class> class Q>
void check_waiting() {
  check_queue(under_test<Q<Letter>, WaitingChecked<Q<Letter>>>(true));
}
template <class S>
void check_this_signal() {
  check_signal([] { return std::make_unique<SignalChecked<S>>(); });
}
template <class L>
void check_this_lock() {
  check_lock([] { return std::make_unique<LockChecked<L>>(); });
}

class Conformance : public testing::Test {
 protected:
  void SetUp() override { Together::patience = std::chrono::milliseconds(400); }
  void TearDown() override { Together::patience = std::chrono::milliseconds(3'000); }
};

TEST_F(Conformance, AcceptsWhatKeepsItsPromises) {
  Together::patience = std::chrono::milliseconds(3'000);
  check_polled<SpscRing>();
  check_waiting<Mailbox>();
  check_this_signal<SpinFlag>();
  check_this_signal<AtomicFlag>();
  check_this_lock<Spinlock>();
}

// NOLINTBEGIN(cppcoreguidelines-avoid-goto): GoogleTest's
TEST_F(Conformance, RefusesQueuesInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_polled<Lost>(), refused, "^Lost: message [0-9,]+ of [0-9,]+ that were sent did not come\\.");
  EXPECT_EXIT(check_polled<Doubled>(), refused, "^Doubled: message [0-9,]+ came twice\\.");
  EXPECT_EXIT(check_polled<Reordered>(), refused, "^Reordered: message [0-9,]+ came after message [0-9,]+\\.");
  EXPECT_EXIT(check_polled<Torn>(), refused, "^Torn: a message came whose words are not all of one message\\.");
  EXPECT_EXIT(check_polled<NeverFull>(), refused, "it is never full\\. Say `static constexpr bool kBounded = false;`");
  EXPECT_EXIT(check_polled<Hangs>(), refused, "^push\\(\\) to a full queue has not returned");
  EXPECT_EXIT(check_polled<Throws>(), refused, "^It threw an exception: the slot is gone\\.");
  EXPECT_EXIT(check_polled<Crashes>(), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(check_waiting<LostWakeUp>(), refused, "wake-up was lost");
  EXPECT_EXIT(check_waiting<UnstoppableQueue>(), refused, "^A wait was not ended by stop\\(\\): take\\(\\)");
}

TEST_F(Conformance, RefusesSignalsInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_signal<LostSignal>(), refused,
              "^Lost: publish\\(100\\) has returned, and peek\\(\\) gives 99");
  EXPECT_EXIT(check_this_signal<EarlySignal>(), refused, "^await\\(100\\) gave 99: it returned too early");
  EXPECT_EXIT(check_this_signal<LostWakeUpSignal>(), refused, "^A wake-up was lost: 100 is published");
  EXPECT_EXIT(check_this_signal<UnstoppableSignal>(), refused, "^A wait was not ended by stop\\(\\): await");
}

TEST_F(Conformance, RefusesLocksInASentence) {
  const auto refused = testing::ExitedWithCode(1);
  EXPECT_EXIT(check_this_lock<TwoInside>(), refused, "^Two threads were inside at once");
  EXPECT_EXIT(check_this_lock<LostRelease>(), refused, "^No thread gets the lock any more");
}
// NOLINTEND(cppcoreguidelines-avoid-goto)

}  // namespace
}  // namespace threadping::own

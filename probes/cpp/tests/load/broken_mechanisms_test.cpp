// Mechanisms that are broken, or slow, on purpose: a trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/load/players.hpp"
#include "mechanisms/message.hpp"
#include "mechanisms/queues/sequenced_ring.hpp"
#include "mechanisms/signals/sleeping.hpp"
#include "support/broken_signals.hpp"
#include "support/failures.hpp"
#include "support/players.hpp"
#include "support/requests.hpp"
#include "support/yields.hpp"

namespace threadping::load {
namespace {

using tests::kMillisecond;

template <Link L>
std::string failure_of() {
  return tests::failure_of_trial(tests::kMakes<LoadStage<L>>, experiment(), L::kTraits.name);
}

std::string failure_of_futex(tests::Fault fault) {
  tests::BrokenFutex::fault = fault;
  return failure_of<SignalLink<tests::BrokenFutex>>();
}

TEST(BrokenPaced, ThatForgetsToWakeHasStalled) {
  EXPECT_EQ(failure_of_futex(tests::Fault::forgets_to_wake), "stalled: No message arrives any more: one was lost.");
}
/// Or counts wrong, where the machine is so busy that the next message was sent before the receiver saw the doubled
/// one.
TEST(BrokenPaced, ThatDoublesANumberBreaksTheSequence) {
  const std::string why = failure_of_futex(tests::Fault::doubles_a_number);
  EXPECT_TRUE(why.ends_with(" came before it was sent.") || why.ends_with(" were found: 1 doubled.")) << why;
}

using Sound = queues::Waiting<queues::SequencedRing<queues::Bare>, tests::Yields>;

/// Sound, but from message 40 on each is another's.
struct LosesAMessage : Sound {
  using Sound::Sound;

  template <class Write>
  bool send(Sender& sender, std::uint64_t count, Write write) {
    return Sound::send(sender, count, [&](queues::Bare& message, std::uint64_t index) {
      write(message, index);
      if (queues::number_of(message.id) >= 40) message.id += queues::kNextId;
    });
  }
};

TEST(BrokenPaced, ThatLosesAMessageBreaksTheSequence) {
  EXPECT_EQ(failure_of<QueueLink<LosesAMessage>>(),
            "sequence-broken: Message 40 of producer 0 was due, but 41 came: one was lost, doubled or overtaken.");
}

constexpr auto kSlow = std::chrono::milliseconds(15);

/// Takes 15 ms for one message in ten, and hardly anything for the others.
struct SlowNowAndThen : SignalLink<signals::Futex> {
  using SignalLink::SignalLink;

  template <class Handle>
  bool receive(Taker& taker, std::uint64_t taken, Handle handle) {
    if (taken % 10 == 0) std::this_thread::sleep_for(kSlow);
    return SignalLink::receive(taker, taken, [&](std::uint64_t /*last*/) { handle(taken + 1); });
  }
};

/// One message a millisecond. While one takes 15 ms those after it are due, and late by what is left of it: no message
/// is faster than Lindley's recursion has it, whether it waited for the receiver or, with a small queue, to be sent.
/// Timed from when it was sent, as a closed loop would, each is quick.
TEST(SlowLoad, ReportsHowLateThoseWereThatWaitedBehindASlowOne) {
  constexpr std::uint64_t kMessages = 60;
  for (const std::int64_t size : {2, 1024}) {
    const engine::Mechanism& futex = *std::ranges::find(experiment().mechanisms, "futex", &engine::Mechanism::name);
    const engine::Params params(futex.name, futex.params, {{"rate", std::int64_t{1000}}, {"size", size}});
    const engine::Setup setup{.params = params, .lines = 1, .threads = 2, .seed = 0};
    tests::Players players(
        std::make_unique<tests::Acting>(std::make_unique<LoadStage<SlowNowAndThen>>(setup), std::size_t{2}));
    players.start([&] {
      std::uint64_t sent = 0;
      while (sent < kMessages) sent += players.acting->plain(kSender, 0, kMessages - sent);
      players.acting->leave(kSender);
    });
    players.start([&] { players.acting->leave(kReceiver); });
    ASSERT_TRUE(players.end());
    const std::vector<engine::Timing> latencies = players.acting->taken(kReceiver);
    ASSERT_EQ(latencies.size(), kMessages);
    std::uint64_t late_before_sent = 0;
    std::uint64_t free_ns = 0;
    for (std::size_t at = 0; at < kMessages; ++at) {
      const std::uint64_t slow_ns = at > 0 && at % 10 == 0 ? std::chrono::nanoseconds(kSlow).count() : 0;
      free_ns = std::max(latencies[at].from_ns, free_ns + slow_ns);
      EXPECT_GE(latencies[at].to_ns, free_ns) << "message " << at + 1;
      if (players.acting->samples[kReceiver]->numbers[2 * at] > 9 * kMillisecond) ++late_before_sent;
    }
    EXPECT_TRUE(size > 2 || late_before_sent >= 5) << "of those behind each slow one";
  }
}

}  // namespace
}  // namespace threadping::load

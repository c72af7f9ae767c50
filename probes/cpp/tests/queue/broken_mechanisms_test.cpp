// Mechanisms that are broken on purpose: the trial must notice, and say what it was.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "experiments/all.hpp"
#include "experiments/queue/players.hpp"
#include "mechanisms/message.hpp"
#include "mechanisms/queues/sequenced_ring.hpp"
#include "support/failures.hpp"
#include "support/yields.hpp"

namespace threadping::queue {
namespace {

template <Queue M>
std::string failure_of(std::uint64_t measure_ns = tests::kHour) {
  return tests::failure_of_trial(tests::kMakes<QueueStage<M>>, experiment(), M::kTraits.name,
                                 {{"message-bytes", std::int64_t{40}}, {"size", std::int64_t{64}}}, measure_ns);
}

void expect_broken(const std::string& why, const std::string& expected) {
  EXPECT_EQ(why, "sequence-broken: " + expected);
}

/// A waiting thread yields, so that two threads on one CPU come to the fault as well.
using Sound = Waiting<SequencedRing<Small>, tests::Yields>;

/// What befalls a message that is to be sent; false where it is dropped.
using Fault = bool (*)(Small& message);

/// Sound, but for that.
struct Faulty : Sound {
  using Sound::Sound;
  static inline Fault fault = nullptr;

  template <class Write>
  bool send(Sender& sender, std::uint64_t count, Write write) {
    Small message{};
    write(message, 0);
    return !fault(message) ||
           Sound::send(sender, count, [&](Small& place, std::uint64_t /*index*/) { place = message; });
  }
};

std::string failure_where(Fault fault, std::uint64_t measure_ns = tests::kHour) {
  Faulty::fault = fault;
  return failure_of<Faulty>(measure_ns);
}

TEST(BrokenRing, ThatTearsAPayloadBreaksTheSequence) {
  const auto tears = [](Small& message) {
    if (number_of(message.id) == 70) message.words[2] ^= 1;
    return true;
  };
  expect_broken(failure_where(tears),
                "Message 70 of producer 0 came with a payload that is not its own: it was torn or overwritten.");
}

TEST(BrokenRing, ThatSwapsTwoBreaksTheSequence) {
  const auto swaps = [](Small& message) {
    const std::uint64_t number = number_of(message.id);
    if (number == 70 || number == 71) message.id = id_of(0, 141 - number);
    return true;
  };
  expect_broken(failure_where(swaps),
                "Message 70 of producer 0 was due, but 71 came: one was lost, doubled or overtaken.");
}

TEST(BrokenRing, ThatDoublesAMessageBreaksTheSequence) {
  const auto doubles = [](Small& message) {
    if (number_of(message.id) == 70) message.id = id_of(0, 69);
    return true;
  };
  expect_broken(failure_where(doubles),
                "Message 70 of producer 0 was due, but 69 came: one was lost, doubled or overtaken.");
}

TEST(BrokenRing, ThatBringsAMessageOfNobodyBreaksTheSequence) {
  const auto invents = [](Small& message) {
    if (number_of(message.id) == 70) message.id = id_of(5, 70);
    return true;
  };
  expect_broken(failure_where(invents),
                "Message 70 of producer 0 was due, but 70 of producer 5 came: one was lost, doubled or overtaken.");
}

TEST(BrokenRing, ThatDropsAMessageBreaksTheSequence) {
  expect_broken(failure_where([](Small& message) { return number_of(message.id) != 1234; }),
                "Message 1,234 of producer 0 was due, but 1,235 came: one was lost, doubled or overtaken.");
}

/// Sound, but it drops the last message before the producer leaves, once it has sent some: nothing comes after it that
/// would not be due.
struct DropsTheLast : Sound {
  using Sound::Sound;

  template <class Write>
  bool send(Sender& sender, std::uint64_t count, Write write) {
    Small message{};
    write(message, 0);
    const bool leaves = number_of(message.id) == kEnd;
    if (held_ && !leaves) Sound::send(sender, count, [&](Small& place, std::uint64_t /*index*/) { place = last_; });
    held_ = !leaves;
    last_ = message;
    return !leaves || Sound::send(sender, count, write);
  }

 private:
  bool held_ = false;
  Small last_{};
};

TEST(BrokenRing, ThatDropsTheLastMessageIsNoticed) {
  const std::string why = failure_of<DropsTheLast>(tests::kMillisecond);
  EXPECT_TRUE(why.starts_with("sequence-broken: Message ") || why.ends_with(" were found: 1 lost.")) << why;
}

/// Sound, but its consumer takes nothing any more once it has taken some.
struct Dies : Sound {
  using Sound::Sound;

  template <class Handle>
  queues::Taken take(Taker& taker, std::uint64_t most, Handle handle) {
    if (taker.next < 100) return Sound::take(taker, most, handle);
    await([] { return false; });
    return {};
  }
};

TEST(BrokenRing, WhoseConsumerDiesHasStalled) {
  EXPECT_EQ(failure_of<Dies>(),
            "stalled: No message arrives any more: one was lost, or the queue is full and nobody takes from it.");
}

/// It never says that a producer leaves: its consumer waits for ever.
TEST(BrokenRing, ThatForgetsTheEndHasStalled) {
  const auto forgets = [](Small& message) { return number_of(message.id) != kEnd; };
  EXPECT_TRUE(failure_where(forgets, tests::kMillisecond).starts_with("stalled: "));
}

}  // namespace
}  // namespace threadping::queue

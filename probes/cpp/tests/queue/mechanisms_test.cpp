// What is peculiar to a part: what shares a line, what an id says, and which message a payload gets.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "experiments/all.hpp"
#include "experiments/queue/players.hpp"
#include "mechanisms/queues/libraries.hpp"
#include "mechanisms/queues/mutex_deque.hpp"
#include "mechanisms/queues/sequenced_ring.hpp"
#include "support/lines.hpp"
#include "waits/waits.hpp"

namespace threadping::queue {
namespace {

using platform::kLinePair;
using tests::lines_of;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

TEST(AnId, HoldsItsProducerAndItsNumber) {
  for (const std::uint64_t producer : {0, 1, 4094})
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, kEnd - 1, kEnd}) {
      const std::uint64_t id = id_of(producer, number);
      EXPECT_EQ(producer_of(id), producer);
      EXPECT_EQ(number_of(id), number);
      EXPECT_EQ(number_of(id | kStamped), number);
      EXPECT_EQ(producer_of(id | kStamped), producer);
      EXPECT_EQ(number_of(id | kMarked), number);
      EXPECT_NE(id | kStamped, id);
    }
  EXPECT_EQ(id_of(3, 8), id_of(3, 7) + kNextId);
}

TEST(AMessage, IsTheSmallestThatHoldsThePayload) {
  const engine::Mechanism& mechanism = experiment().mechanisms.front();
  for (const auto& [payload, size] :
       std::map<std::int64_t, std::size_t>{{0, 16}, {1, 64}, {6, 64}, {7, 1024}, {126, 1024}}) {
    const engine::Params params(mechanism.name, mechanism.params, {{"message-bytes", 16 + 8 * payload}});
    EXPECT_EQ(with_message(params, []<class Message> { return sizeof(Message); }), size) << payload;
  }
}

Shape shape() { return {.size = 64, .in_flight = 0, .producers = 2, .consumers = 2}; }

TEST(Sequences, KeepApartWhatIsWrittenApart) {
  const engine::Mechanism& mechanism = experiment().mechanisms.front();
  const engine::Params params(mechanism.name, mechanism.params, {});
  GatedQueue<Waiting<SequencedRing<Bare>, waits::Spin>> gated(shape(), params);
  EXPECT_EQ(
      lines_of({at(gated.sequence(0, 0)), at(gated.sequence(0, 1)), at(gated.sequence(1, 0)), at(gated.sequence(1, 1))},
               kLinePair)
          .size(),
      4U);
}

TEST(Sequences, ReportWhatEveryConsumerHasTaken) {
  const engine::Mechanism& mechanism = experiment().mechanisms.front();
  const engine::Params params(mechanism.name, mechanism.params, {});
  GatedQueue<Waiting<SequencedRing<Bare>, waits::Spin>> gated(shape(), params);
  gated.sequence(0, 0).value = 5;
  gated.sequence(1, 0).value = 3;
  gated.sequence(0, 1).value = 10;
  gated.sequence(1, 1).value = 20;
  EXPECT_EQ(gated.gating_sequence(0), 3U);
  EXPECT_EQ(gated.gating_sequence(1), 10U);
}

/// The queue is on line pairs of its own. What the threads keep of it is in the players that they make themselves.
template <template <class> class Q>
void keeps_apart() {
  using M = Waiting<Q<Bare>, waits::Spin>;
  EXPECT_EQ(alignof(M), kLinePair);
}

/// The slots are side by side; the cursor and each sequence on pairs of their own.
void keeps_sequences_apart() {
  keeps_apart<SequencedRing>();
  SequencedRing<Bare> ring({.size = 8, .consumers = 2});
  auto sender = ring.sender(0);
  const auto first = ring.taker(0);
  const auto second = ring.taker(1);
  EXPECT_EQ(lines_of({at(*first.sequence), at(*second.sequence), at(ring)}, kLinePair).size(), 3U);
  tests::Places slots;
  EXPECT_TRUE(ring.try_send(sender, 8, [&](Bare& message, std::uint64_t /*index*/) { slots.push_back(at(message)); }));
  EXPECT_EQ(lines_of(slots).size(), 2U);
  EXPECT_EQ(slots.back() - slots.front(), 7 * sizeof(Bare));
  EXPECT_EQ(slots.front() % platform::kPage, 0U);
}

/// Everything under one lock.
void shares_all() { EXPECT_EQ(sizeof(MutexDeque<Bare>::Sender), 1U); }

const std::map<std::string_view, void (*)()>& layouts() {
  static const std::map<std::string_view, void (*)()> all{
      {"sequenced-ring", keeps_sequences_apart},
      {"readerwriterqueue", keeps_apart<ReaderWriterQueue>},
      {"boost-spsc", keeps_apart<BoostSpsc>},
      {"atomic-queue", keeps_apart<AtomicQueue>},
      {"concurrentqueue", keeps_apart<ConcurrentQueue>},
      {"mutex-deque", shares_all},
  };
  return all;
}

TEST(EveryRing, KeepsApartWhatIsWrittenApart) {
  for (const engine::Mechanism& mechanism : experiment().mechanisms) {
    SCOPED_TRACE(mechanism.name);
    ASSERT_TRUE(layouts().contains(mechanism.name)) << "say above what shares a line";
    layouts().at(mechanism.name)();
  }
}

/// Else one that has claimed a slot and lost its CPU is overtaken by another that comes to the same slot.
TEST(TheAtomicQueue, HoldsAllThatItsProducersMayHaveInFlight) {
  AtomicQueue<Bare> queue({.size = 4096, .producers = 3});
  auto sender = AtomicQueue<Bare>::sender(0);
  std::uint64_t sent = 0;
  while (queue.try_send(sender, 1, [](Bare& /*message*/, std::uint64_t /*index*/) {})) ++sent;
  EXPECT_GE(sent, 3U * 4096);
}

/// A batch is published at once: nothing of it is seen before, and all of it after.
TEST(TheSequencedRing, PublishesABatchAtOnce) {
  SequencedRing<Bare> ring({.size = 8});
  auto sender = ring.sender(0);
  auto taker = ring.taker(0);
  std::uint64_t seen = 0;
  const auto look = [&](const Bare& /*message*/) { ++seen; };
  EXPECT_TRUE(ring.try_send(sender, 5, [&](Bare& message, std::uint64_t index) {
    message.id = index;
    EXPECT_EQ(ring.try_take(taker, 8, look), 0U);
  }));
  EXPECT_EQ(ring.try_take(taker, 8, look), 5U);
  EXPECT_EQ(seen, 5U);
}

/// No slot is written again before the slowest consumer has read it.
TEST(TheSequencedRing, WaitsForTheSlowestConsumer) {
  SequencedRing<Bare> ring({.size = 4, .consumers = 2});
  auto sender = ring.sender(0);
  auto quick = ring.taker(0);
  auto slow = ring.taker(1);
  const auto look = [](const Bare& /*message*/) {};
  const auto send = [&](std::uint64_t count) {
    return ring.try_send(sender, count, [](Bare& message, std::uint64_t index) { message.id = index; });
  };
  EXPECT_TRUE(send(3));
  EXPECT_FALSE(send(2)) << "a batch fits as a whole or not at all";
  EXPECT_TRUE(send(1));
  EXPECT_EQ(ring.try_take(quick, 4, look), 4U);
  EXPECT_FALSE(send(1));
  EXPECT_EQ(ring.try_take(slow, 1, look), 1U);
  EXPECT_TRUE(send(1));
  EXPECT_FALSE(send(1));
}

}  // namespace
}  // namespace threadping::queue

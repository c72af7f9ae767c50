// What is peculiar to a part: what shares a line, what an id says, and which message a payload gets.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "ring/books.hpp"
#include "ring/loops.hpp"
#include "ring/mechanisms/atomic_queue.hpp"
#include "ring/mechanisms/boost_spsc.hpp"
#include "ring/mechanisms/concurrentqueue.hpp"
#include "ring/mechanisms/mutex_deque.hpp"
#include "ring/mechanisms/readerwriterqueue.hpp"
#include "ring/mechanisms/sequenced_ring.hpp"
#include "ring/ring.hpp"
#include "support/lines.hpp"
#include "waits/waits.hpp"

namespace threadping::ring {
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
      EXPECT_NE(id | kStamped, id);
    }
  EXPECT_EQ(id_of(3, 8), id_of(3, 7) + kNextId);
}

TEST(AMessage, IsTheSmallestThatHasRoomForThePayload) {
  const engine::Mechanism& mechanism = experiment().mechanisms.front();
  for (const auto& [payload, size] :
       std::map<std::int64_t, std::size_t>{{0, 16}, {1, 64}, {6, 64}, {7, 1024}, {126, 1024}}) {
    const engine::Params params(mechanism, {{"payload", payload}});
    EXPECT_EQ(with_message(params, []<class Message> { return sizeof(Message); }), size) << payload;
  }
}

Shape shape() { return {.size = 64, .in_flight = 0, .producers = 2, .consumers = 2}; }

TEST(Books, KeepApartWhatIsWrittenApart) {
  const Books books(shape());
  EXPECT_EQ(lines_of({at(books.producers[0]), at(books.producers[1]), at(books.consumers[0]), at(books.consumers[1]),
                      at(books.consumers[0].accounts[0]), at(books.consumers[0].accounts[1]),
                      at(books.consumers[1].accounts[0]), at(books.consumers[1].accounts[1])},
                     kLinePair)
                .size(),
            8U);
}

TEST(Books, TellWhatEveryConsumerHasTaken) {
  Books books(shape());
  const auto take = [&](std::size_t consumer, std::size_t producer, std::uint64_t taken) {
    books.consumers[consumer].accounts[producer].taken = taken;
  };
  take(0, 0, 5);
  take(1, 0, 3);
  take(0, 1, 10);
  take(1, 1, 20);
  EXPECT_EQ(books.taken_of(0), 3U);
  EXPECT_EQ(books.taken_of(1), 10U);
  EXPECT_EQ(books.taken(), 13U);
  EXPECT_EQ(books.progress(), 38U);
  books.producers[1].sent = 2;
  EXPECT_EQ(books.progress(), 40U);
}

TEST(Books, TellWhetherEveryConsumerHasFollowed) {
  Books books(shape());
  EXPECT_TRUE(books.all_followed());
  books.producers[0].left = 1;
  books.producers[1].left = 2;
  books.consumers[0].left = 3;
  EXPECT_FALSE(books.all_followed());
  books.consumers[1].left = 3;
  EXPECT_TRUE(books.all_followed());
}

/// What the threads keep of a mechanism stands on line pairs of their own, and so does the mechanism itself.
template <template <class> class Q>
void keeps_apart() {
  using M = Waiting<Q<Bare>, waits::Spin>;
  EXPECT_EQ(alignof(M), kLinePair);
  EXPECT_EQ(sizeof(Seat<typename M::Sender>) % kLinePair, 0U);
  EXPECT_EQ(sizeof(Seat<typename M::Taker>) % kLinePair, 0U);
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
void shares_all() { EXPECT_EQ(sizeof(Seat<MutexDeque<Bare>::Sender>), kLinePair); }

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
  EXPECT_FALSE(send(2)) << "a batch has room as a whole or not at all";
  EXPECT_TRUE(send(1));
  EXPECT_EQ(ring.try_take(quick, 4, look), 4U);
  EXPECT_FALSE(send(1));
  EXPECT_EQ(ring.try_take(slow, 1, look), 1U);
  EXPECT_TRUE(send(1));
  EXPECT_FALSE(send(1));
}

}  // namespace
}  // namespace threadping::ring

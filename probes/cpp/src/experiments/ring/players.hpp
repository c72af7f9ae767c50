#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/experiment.hpp"
#include "engine/recorder.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "ring/books.hpp"
#include "ring/intake.hpp"
#include "ring/mechanism.hpp"
#include "ring/message.hpp"
#include "ring/roles.hpp"
#include "ring/shape.hpp"

namespace threadping::ring {

/// What one thread needs to itself of the mechanism, where nobody else looks.
template <class Own>
struct alignas(platform::kLinePair) Seat {
  Own own;
};

/// A mechanism, and what each of its threads needs of it.
template <RingMechanism M>
struct Cell {
  M mechanism;
  std::vector<Seat<typename M::Sender>> senders;
  std::vector<Seat<typename M::Taker>> takers;

  Cell(const Shape& shape, const engine::Params& params) : mechanism(shape, params) {
    for (std::uint64_t index = 0; index < shape.producers; ++index) senders.push_back({mechanism.sender(index)});
    for (std::uint64_t index = 0; index < shape.consumers; ++index) takers.push_back({mechanism.taker(index)});
  }
};

/// A cell and the books of its line, as one thread goes there: by its number among those of its role.
template <RingMechanism M>
struct Place {
  Cell<M>& cell;
  Books& books;
  std::size_t index;
};

/// Waits until a producer may send so many messages more: gives the id up to which it then may, or 0 where the
/// mechanism was stopped.
template <RingMechanism M>
[[gnu::noinline]] std::uint64_t await_flight(Place<M> at, std::uint64_t in_flight, std::uint64_t wanted) {
  std::uint64_t until = 0;
  const bool may = at.cell.mechanism.await([&] {
    until = id_of(at.index, at.books.taken_of(at.index) + in_flight);
    return wanted <= until;
  });
  return may ? until : 0;
}

/// Sends batches until `count` messages are sent, or the mechanism was stopped; gives how many it sent. The first of
/// each batch says when it was written, if they are stamped.
template <bool kStamps, RingMechanism M>
[[gnu::always_inline]] inline std::uint64_t send_batches(Place<M> at, const Shape& shape, std::uint64_t count) {
  using Message = M::Message;
  Producer& producer = at.books.producers[at.index];
  typename M::Sender& kept = at.cell.senders[at.index].own;
  typename M::Sender sender = kept;
  const std::uint64_t batch = M::kTraits.batches ? shape.batch : 1;
  const std::uint64_t payload = shape.payload;
  const std::uint64_t first = producer.next;
  const std::uint64_t end = first + count * kNextId;
  std::uint64_t flies_until = shape.in_flight > 0 ? producer.flies_until : UINT64_MAX;
  std::uint64_t next = first;
  while (next < end) {
    if (const std::uint64_t wanted = next + batch * kNextId; wanted > flies_until) {
      flies_until = await_flight(at, shape.in_flight, wanted);
      if (flies_until == 0) break;
    }
    const bool sent = at.cell.mechanism.send(sender, batch, [&](Message& message, std::uint64_t number) {
      std::uint64_t id = next + number * kNextId;
      if (kStamps && number == 0) {
        id |= kStamped;
        message.stamp = platform::now_ns();
      }
      message.id = id;
      if constexpr (Message::kMostWords > 0)
        for (std::uint64_t word = 0; word < payload; ++word) message.words[word] = id;
    });
    if (!sent) break;
    next += batch * kNextId;
  }
  kept = sender;
  producer.next = next;
  producer.flies_until = flies_until;
  producer.sent.store(number_of(next), std::memory_order_relaxed);
  return (next - first) / kNextId;
}

/// The producer's loop: one function for each mechanism, message and wait, never inlined, so that it can be found in
/// the disassembly, and aligned, so that it is as quick whatever stands before it.
template <RingMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_sends(Place<M> at, const Shape& shape,
                                                                                 std::uint64_t count) {
  return send_batches<false>(at, shape, count);
}

/// One batch, stamped: the consumer times it.
template <RingMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t send_stamped(Place<M> at, const Shape& shape) {
  return send_batches<true>(at, shape, 1);
}

/// The consumer's loop: takes until it has taken `count` messages, or there is nothing to take any more; gives how many
/// it took.
template <RingMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_takes(Place<M> at, const Shape& shape,
                                                                                 engine::Recorder* batches,
                                                                                 std::uint64_t count) {
  typename M::Taker& kept = at.cell.takers[at.index].own;
  Intake<M> intake(at.cell.mechanism, kept, at.books.consumers[at.index], shape.payload);
  std::uint64_t taken = 0;
  while (taken < count && !intake.over()) taken += intake.take(shape.size, batches, [](std::uint64_t /*stamp*/) {});
  kept = intake.taker();
  return taken;
}

/// The same until it has timed at least one message: each that is stamped, from its stamp to here. These are readings
/// on two CPUs, and the later one may be less: then it was on its way for no time.
template <RingMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t time_takes(Place<M> at, const Shape& shape,
                                                                              engine::Recorder* batches,
                                                                              std::span<engine::Timing> timings) {
  typename M::Taker& kept = at.cell.takers[at.index].own;
  Intake<M> intake(at.cell.mechanism, kept, at.books.consumers[at.index], shape.payload);
  const std::uint64_t most = std::min<std::uint64_t>(shape.size, timings.size());
  std::uint64_t taken = 0;
  std::size_t timed = 0;
  while (timed == 0 && !intake.over())
    taken += intake.take(most, batches, [&](std::uint64_t stamp) {
      timings[timed++] = {.from_ns = stamp, .to_ns = std::max(stamp, platform::now_ns())};
    });
  kept = intake.taker();
  return taken;
}

/// The cells of a trial and the loops of both roles.
template <RingMechanism M>
class RingLoops final : public Roles {
 public:
  explicit RingLoops(const engine::Setup& setup)
      : Roles(shape_of(M::kTraits, setup), setup.lines),
        cells_(setup.lines, platform::Sharing::threads, 0,
               [&](void* place, std::byte* /*room*/) { new (place) Cell<M>(shape(), setup.params); }) {}

  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    const Place<M> at = place_of(thread, line);
    if (stopped(line)) return 0;
    return is_producer(thread) ? perform_sends(at, shape(), count)
                               : perform_takes(at, shape(), batches_of(at.index), count);
  }

  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<engine::Timing> timings) override {
    const Place<M> at = place_of(thread, line);
    if (stopped(line)) return 0;
    return is_producer(thread) ? send_stamped(at, shape()) : time_takes(at, shape(), batches_of(at.index), timings);
  }

  /// A producer says so by a message, which wakes a consumer that sleeps. A consumer leaves when all producers have, so
  /// that it has taken all that they sent.
  void leave(std::size_t thread, std::size_t line) override {
    const Place<M> at = place_of(thread, line);
    if (is_producer(thread)) {
      const auto write = [&](M::Message& message, std::uint64_t /*number*/) { message.id = id_of(at.index, kEnd); };
      if (at.cell.mechanism.send(at.cell.senders[at.index].own, 1, write)) ++at.books.producers[at.index].left;
      return;
    }
    perform_takes(at, shape(), batches_of(at.index), UINT64_MAX);
    Consumer& consumer = at.books.consumers[at.index];
    if (consumer.all_left()) consumer.left += consumer.accounts.size();
  }

  void stop(std::size_t line) override { cells_[line].mechanism.stop(); }

  [[nodiscard]] const std::byte* memory() const override { return cells_.memory(); }

 private:
  bool stopped(std::size_t line) override { return cells_[line].mechanism.stopped(); }
  Place<M> place_of(std::size_t thread, std::size_t line) {
    return {.cell = cells_[line], .books = books_of(line), .index = index_of(thread)};
  }

  platform::Lines<Cell<M>> cells_;
};

}  // namespace threadping::ring

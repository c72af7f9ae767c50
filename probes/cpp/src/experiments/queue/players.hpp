#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "engine/experiment.hpp"
#include "mechanisms/message.hpp"
#include "mechanisms/queue.hpp"
#include "mechanisms/queues/gating.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::queue {

using namespace queues;  // NOLINT(google-build-using-namespace): what is played with here

/// How far a producer has come.
template <Queue Q>
struct ProducerState {
  Q::Sender sender;
  std::uint64_t next;                 ///< The id of its next message.
  std::uint64_t claimable_until = 0;  ///< Up to this id it may send, as far as it knows.
};

/// Sends batches until `count` messages are sent, or the queue was stopped; gives how many it sent. The first message
/// of each batch says, if they are stamped, when the producer had it: before it waits for space, and once. A producer
/// that waits because no more of its messages may be in flight does not have the next one yet; but where that is all
/// that bounds a queue this is its wait for space. Where it works it takes `work` steps for each message of a batch
/// before it has that batch.
template <bool kStamps, bool kWorks, Queue Q>
[[gnu::always_inline]] inline std::uint64_t send_batches(GatedQueue<Q>& gated, ProducerState<Q>& kept,
                                                         std::uint64_t steps, std::uint64_t count, std::uint64_t mark) {
  using Message = Q::Message;
  ProducerState<Q> at = kept;
  const std::uint64_t batch = Q::kTraits.batches ? gated.shape.batch : 1;
  const std::uint64_t payload = gated.shape.payload;
  const bool is_bounded = Q::kTraits.full == Full::always ||
                          (gated.shape.producers == 1 && Q::kTraits.full == Full::of_one_producer) ||
                          gated.shape.in_flight > 0;
  const std::uint64_t in_flight = is_bounded ? gated.shape.in_flight : gated.shape.size;
  const std::uint64_t first = at.next;
  const std::uint64_t end = first + count * kNextId;
  if (in_flight == 0) at.claimable_until = UINT64_MAX;
  platform::Steps work;  // NOLINT(misc-const-correctness): without work nothing is taken
  while (at.next < end) {
    if constexpr (kWorks) work.take(steps * batch);
    std::uint64_t stamp = kStamps && gated.shape.in_flight == 0 ? platform::now_ns() : 0;
    if (const std::uint64_t wanted = at.next + batch * kNextId; wanted > at.claimable_until) {
      at.claimable_until = claim(gated, wanted, in_flight);
      if (at.claimable_until == 0) break;
    }
    if (kStamps && gated.shape.in_flight > 0) stamp = platform::now_ns();
    const bool sent = gated.queue.send(at.sender, batch, [&](Message& message, std::uint64_t number) {
      std::uint64_t id = at.next + number * kNextId;
      if (number == 0) id |= mark;
      if (kStamps && number == 0) message.stamp = stamp;
      message.id = id;
      if constexpr (Message::kMostWords > 0)
        for (std::uint64_t word = 0; word < payload; ++word) message.words[word] = id;
    });
    if (!sent) break;
    at.next += batch * kNextId;
    if (!kStamps) mark = 0;
  }
  kept = at;
  return (at.next - first) / kNextId;
}

/// The producer's loop, whose first message is marked: one function for each queue, message and wait, never inlined, so
/// that it can be found in the disassembly, and aligned, so that code before it does not change its speed.
template <Queue Q, bool kWorks>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_sends(
    GatedQueue<Q>& gated, ProducerState<Q>& at, std::uint64_t steps, std::uint64_t count, std::uint64_t mark) {
  return send_batches<false, kWorks>(gated, at, steps, count, mark);
}

/// One batch, stamped: the consumer times it.
template <Queue Q>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t send_stamped(GatedQueue<Q>& gated,
                                                                                ProducerState<Q>& at,
                                                                                std::uint64_t steps) {
  return send_batches<true, true>(gated, at, steps, 1, kStamped);
}

template <Queue Q>
class Producer final : public engine::Player {
 public:
  Producer(GatedQueue<Q>& gated, std::uint64_t index, std::uint64_t steps)
      : gated_(gated), steps_(steps), at_{.sender = gated.queue.sender(index), .next = id_of(index, 0)} {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    return steps_ > 0 ? run_as<true>(task, samples) : run_as<false>(task, samples);
  }
  /// The last message, which wakes a consumer that sleeps.
  std::uint64_t leave(engine::Samples& /*samples*/) override {
    gated_.queue.send(at_.sender, 1, [&](Q::Message& message, std::uint64_t /*number*/) {
      message.id = id_of(producer_of(at_.next), kEnd);
    });
    return 0;
  }

 private:
  /// Where one message of a group is stamped its batch is in the middle of the group.
  template <bool kWorks>
  std::uint64_t run_as(const engine::Task& task, engine::Samples& samples) {
    if (task.every == 0) return perform_sends<Q, kWorks>(gated_, at_, steps_, task.count, kMarked);
    const std::uint64_t batch = Q::kTraits.batches ? gated_.shape.batch : 1;
    const std::uint64_t before = task.every / 2 / batch * batch;
    const std::uint64_t after = task.every > before + batch ? task.every - before - batch : 0;
    std::uint64_t done = 0;
    while (done < task.count && !gated_.queue.stopped()) {
      done += perform_sends<Q, kWorks>(gated_, at_, steps_, before, 0) + send_stamped(gated_, at_, steps_);
      samples.read_clock(1);
      done += perform_sends<Q, kWorks>(gated_, at_, steps_, after, 0);
    }
    return done;
  }

  GatedQueue<Q>& gated_;
  const std::uint64_t steps_;
  ProducerState<Q> at_;
};

/// How far a consumer has come. Of the producer whose message came last, the id that is due.
template <Queue Q>
struct ConsumerState {
  Q::Taker taker;
  std::uint64_t index;      ///< Among the consumers.
  std::uint64_t due;        ///< The id.
  Sequence* sequence;       ///< Its own of that producer.
  std::uint64_t ended = 0;  ///< Producers that have sent their last message.

  void turn_to(GatedQueue<Q>& gated, std::uint64_t producer) {
    sequence = &gated.sequence(index, producer);
    due = id_of(producer, sequence->value.load(std::memory_order_relaxed));
  }
  void publish_sequence() const { sequence->value.store(number_of(due), std::memory_order_release); }
};

/// The consumer's loop, of both kinds of windows: takes until it has taken `count` messages, or there is nothing to
/// take any more; gives how many it took. It holds every message against the id that is due, and its payload against
/// the id; times those that are stamped, from their stamp to here; and works `work` steps for each. What its thread
/// keeps is copied, so that most of it is in registers; the id that is due goes to the stack for each message.
template <Queue Q, bool kWorks>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_takes(
    GatedQueue<Q>& gated, ConsumerState<Q>& kept, std::uint64_t steps, std::uint64_t count, engine::Samples& samples) {
  using Message = Q::Message;
  ConsumerState<Q> at = kept;
  const std::uint64_t payload = gated.shape.payload;
  const std::uint64_t size = gated.shape.size;
  const std::uint64_t producers = gated.shape.producers;
  // NOLINTNEXTLINE(misc-const-correctness): without work nothing is taken
  auto work = [steps, chain = platform::Steps()]() mutable { chain.take(steps); };
  std::uint64_t taken = 0;
  while (taken < count && at.ended < producers) {
    const std::uint64_t before = taken;
    const queues::Taken came = gated.queue.take(at.taker, size, [&](const Message& message) {
      const std::uint64_t id = message.id;
      if (id != at.due) [[unlikely]] {
        if (producer_of(id) != producer_of(at.due)) {
          if (producer_of(id) >= producers) refuse_sequence(at.due, id);
          at.publish_sequence();
          at.turn_to(gated, producer_of(id));
        }
        if (number_of(id) == kEnd) {
          ++at.ended;
          return;
        }
        if ((id & ~kMarks) != at.due) refuse_sequence(at.due, id);
        if ((id & kStamped) != 0) {
          samples.add(message.stamp, platform::now_ns());
          samples.read_clock(1);
        }
        if ((id & kMarks) != 0) samples.progress(taken);
      }
      at.due += kNextId;
      ++taken;
      if constexpr (Message::kMostWords > 0) {
        std::uint64_t difference = 0;
        for (std::uint64_t word = 0; word < payload; ++word) difference |= message.words[word] ^ id;
        if (difference != 0) [[unlikely]]
          refuse_payload(id);
      }
      if constexpr (kWorks) work();
    });
    if (came.count == 0) break;
    at.publish_sequence();
    gated.queue.wake_gated();
    samples.others_wait(!came.found_none);
    if (taken > before) samples.number(0, taken - before);
  }
  kept = at;
  return taken;
}

template <Queue Q>
class Consumer final : public engine::Player {
 public:
  Consumer(GatedQueue<Q>& gated, std::uint64_t index, std::uint64_t steps)
      : gated_(gated),
        steps_(steps),
        at_{.taker = gated.queue.taker(index), .index = index, .due = 0, .sequence = nullptr} {
    at_.turn_to(gated, 0);
  }

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    return steps_ > 0 ? perform_takes<Q, true>(gated_, at_, steps_, task.count, samples)
                      : perform_takes<Q, false>(gated_, at_, 0, task.count, samples);
  }

  /// All that was sent.
  std::uint64_t leave(engine::Samples& samples) override { return run({.count = UINT64_MAX}, samples); }

 private:
  GatedQueue<Q>& gated_;
  const std::uint64_t steps_;
  ConsumerState<Q> at_;
};

/// The roles: thread 0 is a producer and thread 1 a consumer; all further ones are what there are several of.
inline std::size_t role_of(const Shape& shape, std::size_t thread) {
  return thread == 0 || (thread > 1 && shape.consumers == 1) ? 0 : 1;
}

/// Every consumer takes every message.
inline contract::Counts counts_of(const Shape& shape, std::span<const std::uint64_t> ops) {
  contract::Held messages;
  for (std::size_t thread = 0; thread < ops.size(); ++thread)
    (role_of(shape, thread) == 0 ? messages.made : messages.found) += ops[thread];
  messages.made *= shape.consumers;
  return contract::single_count("messages", messages);
}

/// The part of a queue's stage that is the same for every queue, so that it is compiled once.
class QueueStageParts : public engine::Stage {
 public:
  [[nodiscard]] std::size_t role_of(std::size_t thread) const final { return queue::role_of(shape_, thread); }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const final {
    return role_of(one) != role_of(other);
  }
  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const final {
    std::uint64_t sum = 0;
    for (const Sequence& sequence : *sequences_) sum += sequence.value.load(std::memory_order_relaxed);
    return sum;
  }
  /// Streams that were not followed to the end have none.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const final {
    return stopped() ? contract::Counts() : counts_of(shape_, ops);
  }

 protected:
  QueueStageParts(const queues::Traits& traits, const engine::Setup& setup)
      : shape_(shape_of(traits, setup.params, setup.threads)),
        produce_(static_cast<std::uint64_t>(setup.params.number("producer-work"))),
        work_(static_cast<std::uint64_t>(setup.params.number("consumer-work"))) {}

  [[nodiscard]] virtual bool stopped() const = 0;

  const Shape shape_;
  const std::uint64_t produce_;  ///< Steps that a producer takes for each message,
  const std::uint64_t work_;     ///< and a consumer.
  const std::vector<Sequence>* sequences_ = nullptr;
};

/// A queue, its producers and its consumers.
template <Queue Q>
class QueueStage final : public QueueStageParts {
 public:
  explicit QueueStage(const engine::Setup& setup)
      : QueueStageParts(Q::kTraits, setup),
        lines_(1, platform::Sharing::threads, 0,
               [&](void* place, std::byte* /*extra*/) { new (place) GatedQueue<Q>(shape_, setup.params); }) {
    sequences_ = &lines_[0].sequences;
  }

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    const std::uint64_t index = thread > 1 ? thread - 1 : 0;
    if (role_of(thread) == 0) return std::make_unique<Producer<Q>>(lines_[0], index, produce_);
    return std::make_unique<Consumer<Q>>(lines_[0], index, work_);
  }
  void stop(std::size_t /*line*/) override { lines_[0].queue.stop(); }
  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 protected:
  [[nodiscard]] bool stopped() const override { return lines_[0].queue.stopped(); }

 private:
  const platform::Lines<GatedQueue<Q>> lines_;
};

}  // namespace threadping::queue

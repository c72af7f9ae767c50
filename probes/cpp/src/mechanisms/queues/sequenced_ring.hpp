#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "mechanisms/queue.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"

namespace threadping::queues {

/// Our own ring after the published description of the Disruptor (Thompson and others, "Disruptor: High performance
/// alternative to bounded queues for exchanging data between concurrent threads", 2011): slots that are used again and
/// again, numbered for ever; one producer, which publishes how far it has come (the cursor), and consumers that each
/// see everything and publish how far they have come (each its sequence). Nobody writes what another writes; each
/// asks for another's number only where the copy that it keeps no longer suffices.
template <class M>
class SequencedRing {
 public:
  static constexpr Traits kTraits{.name = "sequenced-ring", .batches = true, .power_of_two = true};
  using Message = M;

  /// From `next` on it writes, and up to `free_until` it may.
  struct Sender {
    std::uint64_t next = 0;
    std::uint64_t free_until = 0;
  };

  /// From `next` on it takes, and up to `published` there is something.
  struct Taker {
    std::uint64_t next = 0;
    std::uint64_t published = 0;
    std::atomic<std::uint64_t>* sequence = nullptr;
  };

  [[gnu::noinline]] explicit SequencedRing(const Shape& shape)
      : mask_(shape.size - 1),
        memory_(slots<Message>(shape.size) * sizeof(Message), platform::Sharing::threads),
        slots_(reinterpret_cast<Message*>(memory_.start())),
        sequences_(shape.consumers) {
    for (std::uint64_t slot = 0; slot < shape.size; ++slot) new (slots_ + slot) Message{};
  }

  Sender sender(std::uint64_t /*producer*/) { return {.free_until = mask_ + 1}; }
  Taker taker(std::uint64_t consumer) { return {.sequence = &sequences_[consumer].value}; }

  /// The writes that must be seen are the messages, by every consumer: all before the one store of the cursor, which
  /// releases them.
  template <class Write>
  bool try_send(Sender& sender, std::uint64_t count, Write write) {
    if (sender.next + count > sender.free_until) {
      sender.free_until = gating_sequence() + mask_ + 1;
      if (sender.next + count > sender.free_until) return false;
    }
    Message* const slots = slots_;
    const std::uint64_t mask = mask_;
    for (std::uint64_t index = 0; index < count; ++index) write(slots[(sender.next + index) & mask], index);
    sender.next += count;
    cursor_.value.store(sender.next, std::memory_order_release);
    return true;
  }

  /// What must be seen by the producer is that the messages have been read, before it overwrites them: the store of the
  /// sequence releases these reads.
  template <class Handle>
  std::uint64_t try_take(Taker& taker, std::uint64_t most, Handle handle) {
    if (taker.next == taker.published) taker.published = cursor_.value.load(std::memory_order_acquire);
    const std::uint64_t count = std::min(most, taker.published - taker.next);
    if (count == 0) return 0;
    const Message* const slots = slots_;
    const std::uint64_t mask = mask_;
    for (std::uint64_t index = 0; index < count; ++index) handle(slots[(taker.next + index) & mask]);
    taker.next += count;
    taker.sequence->store(taker.next, std::memory_order_release);
    return count;
  }

 private:
  /// How far the slowest consumer has come. With acquire, so that it has read what is overwritten next.
  [[nodiscard]] std::uint64_t gating_sequence() const {
    std::uint64_t least = UINT64_MAX;
    for (const Sequence& sequence : sequences_) least = std::min(least, sequence.value.load(std::memory_order_acquire));
    return least;
  }

  const std::uint64_t mask_;
  platform::Memory memory_;
  Message* const slots_;
  std::vector<Sequence> sequences_;
  Sequence cursor_;
};

}  // namespace threadping::queues

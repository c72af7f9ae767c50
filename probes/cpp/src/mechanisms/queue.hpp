#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "waits/waits.hpp"

namespace threadping::queues {

/// What is asked of a queue.
struct Shape {
  std::uint64_t size = 2;       ///< Messages it holds.
  std::uint64_t payload = 0;    ///< Words of each message.
  std::uint64_t in_flight = 0;  ///< Maximum number of a producer's messages not taken yet; 0: by the size.
  std::uint64_t batch = 1;      ///< Messages sent at once.
  std::uint64_t producers = 1;
  std::uint64_t consumers = 1;
};

/// When a queue is full by itself: otherwise each producer may have as many messages in flight as its size.
enum class Full : std::uint8_t { always, of_one_producer, never };

/// What a queue can do, and how it is called.
struct Traits {
  std::string_view name;  ///< The same in every language.
  bool blocking = false;  ///< Whether a waiting thread sleeps in the kernel.
  bool batches = false;   ///< Whether it sends several messages at once.
  bool many_producers = false;
  bool power_of_two = false;  ///< Whether its size must be one.
  Full full = Full::always;
};

/// The shape that these parameters and threads make. Throws Failure(bad_request) for what does not fit together.
Shape shape_of(const Traits& traits, const engine::Params& params, std::size_t threads);

/// How far a thread has come, which it alone writes and others read.
struct alignas(platform::kLinePair) Sequence {
  std::atomic<std::uint64_t> value{0};
};

/// What a take came to: the messages taken, and whether it found none at first.
struct Taken {
  std::uint64_t count = 0;
  bool found_none = false;
};

/// Placeholders for code that writes message number `index` of a batch, for code that reads one, and for any condition.
inline constexpr auto kWrites = [](auto& message, std::uint64_t index) { message.id = index; };
inline constexpr auto kHandles = [](const auto& message) { static_cast<void>(message.id); };
inline constexpr auto kAsks = [] { return true; };

/// A queue of any kind. What each side needs to itself is its Sender or Taker, made by the thread that uses
/// it: a small value which a loop copies, so that it is in registers there, and puts back.
template <class Q>
concept TwoSided = requires(Q queue, std::uint64_t index) {
  { Q::kTraits } -> std::convertible_to<Traits>;
  typename Q::Message;
  { queue.sender(index) } -> std::same_as<typename Q::Sender>;
  { queue.taker(index) } -> std::same_as<typename Q::Taker>;
};

/// A queue that waits for nothing.
///
/// try_send() has `write` write `count` messages (more than one only where the traits say so) and publishes them at
/// once; false if there is no space for them. try_take() has `handle` handle each message that is there, `most` of them
/// at most, and gives how many there were: what was published, or one by one until none is found.
template <class Q>
concept PolledQueue = TwoSided<Q> && std::constructible_from<Q, const Shape&> &&
                      requires(Q queue, Q::Sender sender, Q::Taker taker, std::uint64_t count) {
                        { queue.try_send(sender, count, kWrites) } -> std::same_as<bool>;
                        { queue.try_take(taker, count, kHandles) } -> std::same_as<std::uint64_t>;
                      };

/// A way for producers to send messages to consumers: a queue and how one waits at it.
///
/// send() and take() are the same as above, but wait: for space, and for at least one message. While send() waits it
/// may have `write` write the same message again. await() waits in the same way until `until` holds, and wake_gated()
/// makes those waiting threads ask again. All end when the queue is stopped: send() and await() give false then, take()
/// nothing. stop() may be called by any thread at any time, again and again.
template <class Q>
concept Queue = TwoSided<Q> && std::constructible_from<Q, const Shape&, const engine::Params&> &&
                requires(Q queue, Q::Sender sender, Q::Taker taker, std::uint64_t count) {
                  { queue.send(sender, count, kWrites) } -> std::same_as<bool>;
                  { queue.take(taker, count, kHandles) } -> std::same_as<Taken>;
                  { queue.await(kAsks) } -> std::same_as<bool>;
                  { queue.wake_gated() } -> std::same_as<void>;
                  { queue.stop() } -> std::same_as<void>;
                  { queue.stopped() } -> std::same_as<bool>;
                };

/// A queue at which both sides keep polling, and what they do between two polls.
template <PolledQueue Q, class Wait>
class Waiting {
 public:
  static constexpr Traits kTraits = Q::kTraits;
  using Message = Q::Message;
  using Sender = Q::Sender;
  using Taker = Q::Taker;

  Waiting(const Shape& shape, const engine::Params& params) : wait_(params), queue_(shape) {}

  Sender sender(std::uint64_t producer) { return queue_.sender(producer); }
  Taker taker(std::uint64_t consumer) { return queue_.taker(consumer); }

  template <class Write>
  bool send(Sender& sender, std::uint64_t count, Write write) {
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their polls
    while (!queue_.try_send(sender, count, write)) {
      if (stopped()) return false;
      turn();
    }
    return true;
  }

  template <class Handle>
  Taken take(Taker& taker, std::uint64_t most, Handle handle) {
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their polls
    for (bool found_none = false;; found_none = true) {
      if (const std::uint64_t count = queue_.try_take(taker, most, handle); count > 0)
        return {.count = count, .found_none = found_none};
      if (stopped()) return {};
      turn();
    }
  }

  template <class Until>
  bool await(Until until) {
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their polls
    while (!until()) {
      if (stopped()) return false;
      turn();
    }
    return true;
  }

  /// A waiting thread polls by itself.
  static void wake_gated() {}

  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  const Wait wait_;
  std::atomic<bool> stopped_{false};  ///< Next to what is never written: read in every wait.
  alignas(platform::kLinePair) Q queue_;
};

/// Calls `visit` as a template over Q with the wait that these parameters name, where it waits for nothing by itself;
/// otherwise over Q itself.
template <TwoSided Q, class Visit>
auto with_wait(const engine::Params& params, Visit visit) {
  if constexpr (PolledQueue<Q>)
    return waits::with_spin_or_other(params, [&]<class Wait> { return visit.template operator()<Waiting<Q, Wait>>(); });
  else
    return visit.template operator()<Q>();
}

/// The number of slots for `count` messages. Throws Failure(bad_request) for more than there may be.
template <class Message>
std::size_t slots(std::uint64_t count) {
  platform::refuse_excess(count * sizeof(Message), "the slots of the queue",
                          "lower its size, message-bytes or producers");
  return count;
}

}  // namespace threadping::queues

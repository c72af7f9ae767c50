#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "engine/experiment.hpp"
#include "platform/lines.hpp"
#include "ring/message.hpp"
#include "ring/shape.hpp"

namespace threadping::ring {

/// Stand for whoever writes message number `index` of a batch, for whoever looks at one, and for any question.
inline constexpr auto kWrites = [](auto& message, std::uint64_t index) { message.id = index; };
inline constexpr auto kLooks = [](const auto& message) { static_cast<void>(message.id); };
inline constexpr auto kAsks = [] { return true; };

/// A queue that waits for nothing. What each side needs to itself is its Sender or Taker: a small value which a loop
/// copies, so that it stands in registers there, and puts back.
///
/// try_send() has `write` write `count` messages (more than one only where the traits say so) and publishes them at
/// once; false if there is no room for them. try_take() has `look` look at each message that is there, `most` of them
/// at most, and gives how many there were: what was published, or one by one until none is found.
template <class Q>
concept Queue = std::constructible_from<Q, const Shape&> &&
                requires(Q queue, Q::Sender sender, Q::Taker taker, std::uint64_t count) {
                  { Q::kTraits } -> std::convertible_to<Traits>;
                  typename Q::Message;
                  { queue.sender(count) } -> std::same_as<typename Q::Sender>;
                  { queue.taker(count) } -> std::same_as<typename Q::Taker>;
                  { queue.try_send(sender, count, kWrites) } -> std::same_as<bool>;
                  { queue.try_take(taker, count, kLooks) } -> std::same_as<std::uint64_t>;
                };

/// A way for producers to send messages to consumers: a queue and how one waits at it.
///
/// send() and take() are the same as above, but wait: for room, and for at least one message. await() waits in the same
/// way until `until` holds, and tell() lets those look again who wait so. All end when the mechanism is stopped: send()
/// and await() give false then, take() nothing. stop() may be called by any thread at any time, again and again.
template <class M>
concept RingMechanism = std::constructible_from<M, const Shape&, const engine::Params&> &&
                        requires(M mechanism, M::Sender sender, M::Taker taker, std::uint64_t count) {
                          { M::kTraits } -> std::convertible_to<Traits>;
                          typename M::Message;
                          { mechanism.sender(count) } -> std::same_as<typename M::Sender>;
                          { mechanism.taker(count) } -> std::same_as<typename M::Taker>;
                          { mechanism.send(sender, count, kWrites) } -> std::same_as<bool>;
                          { mechanism.take(taker, count, kLooks) } -> std::same_as<std::uint64_t>;
                          { mechanism.await(kAsks) } -> std::same_as<bool>;
                          { mechanism.tell() } -> std::same_as<void>;
                          { mechanism.stop() } -> std::same_as<void>;
                          { mechanism.stopped() } -> std::same_as<bool>;
                        };

/// A queue at which both sides keep looking, and what they do between two looks.
template <Queue Q, class Wait>
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
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their looks
    while (!queue_.try_send(sender, count, write)) {
      if (stopped()) return false;
      turn();
    }
    return true;
  }

  template <class Look>
  std::uint64_t take(Taker& taker, std::uint64_t most, Look look) {
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their looks
    while (true) {
      if (const std::uint64_t taken = queue_.try_take(taker, most, look); taken > 0) return taken;
      if (stopped()) return 0;
      turn();
    }
  }

  template <class Until>
  bool await(Until until) {
    typename Wait::Turn turn(wait_);  // NOLINT(misc-const-correctness): some waits count their looks
    while (!until()) {
      if (stopped()) return false;
      turn();
    }
    return true;
  }

  /// Who waits looks by itself.
  static void tell() {}

  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  const Wait wait_;
  std::atomic<bool> stopped_{false};  ///< With what nobody writes: looked at in every wait.
  alignas(platform::kLinePair) Q queue_;
};

}  // namespace threadping::ring

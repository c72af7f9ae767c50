#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include "engine/params.hpp"
#include "mechanisms/message.hpp"
#include "mechanisms/queue.hpp"
#include "mechanisms/signal.hpp"
#include "platform/lines.hpp"

namespace threadping::load {

inline constexpr auto kHandles = [](std::uint64_t /*last*/) {};

/// What carries numbered messages from one thread to another, be it a signal or a queue; what a side needs to itself is
/// its Sender or Taker.
///
/// send() publishes message `number`: 1, 2, 3, ... Where fewer than the shape's size are not taken yet it does not
/// wait. receive() waits for what follows message `taken`, and has `handle` handle the number of the last message that
/// came, again for each batch; false if the link was stopped. Throws Failure(sequence_broken) for a message out of its
/// turn.
template <class L>
concept Link = std::convertible_to<decltype(L::kTraits), queues::Traits> &&
               std::constructible_from<L, const queues::Shape&, const engine::Params&> &&
               requires(L link, L::Sender sender, L::Taker taker, std::uint64_t number) {
                 { link.sender() } -> std::same_as<typename L::Sender>;
                 { link.taker() } -> std::same_as<typename L::Taker>;
                 { link.send(sender, number) } -> std::same_as<void>;
                 { link.receive(taker, number, kHandles) } -> std::same_as<bool>;
                 { link.stop() } -> std::same_as<void>;
               };

/// A signal whose number is that of the latest message: all that its awaiter finds have come.
template <signals::Signal S>
class SignalLink {
 public:
  static constexpr queues::Traits kTraits{.name = S::kName};
  struct Sender {};
  struct Taker {};

  SignalLink(const queues::Shape& /*shape*/, const engine::Params& params) : signal_(signals::made_with<S>(params)) {}

  static Sender sender() { return {}; }
  static Taker taker() { return {}; }

  void send(Sender& /*sender*/, std::uint64_t number) { signal_.publish(cell_, number); }

  /// The fence is for a signal that orders nothing: what was written before the number is seen after it, here.
  template <class Handle>
  bool receive(Taker& /*taker*/, std::uint64_t taken, Handle handle) {
    const S signal = signal_;  // in registers: read through this it would be loaded again after every poll
    const std::uint64_t seen = signal.await(cell_, taken + 1);
    if (seen >= signals::kStopped) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    handle(seen);
    return true;
  }

  void stop() { signal_.stop(cell_); }

 private:
  const S signal_;
  alignas(platform::kLinePair) S::Cell cell_ = signals::cell_for<typename S::Cell>(platform::Sharing::threads);
};

/// A queue, whose messages hold their number.
template <queues::Queue Q>
class QueueLink {
 public:
  static constexpr queues::Traits kTraits = Q::kTraits;
  using Sender = Q::Sender;
  using Taker = Q::Taker;

  QueueLink(const queues::Shape& shape, const engine::Params& params) : size_(shape.size), queue_(shape, params) {}

  Sender sender() { return queue_.sender(0); }
  Taker taker() { return queue_.taker(0); }

  void send(Sender& sender, std::uint64_t number) {
    queue_.send(sender, 1, [&](auto& message, std::uint64_t /*index*/) { message.id = queues::id_of(0, number); });
  }

  template <class Handle>
  bool receive(Taker& taker, std::uint64_t taken, Handle handle) {
    const queues::Taken came = queue_.take(taker, size_, [&](const auto& message) {
      const std::uint64_t due = queues::id_of(0, ++taken);
      if (message.id != due) [[unlikely]]
        queues::refuse_sequence(due, message.id);
      handle(taken);
    });
    return came.count > 0;
  }

  void stop() { queue_.stop(); }

 private:
  const std::uint64_t size_;
  alignas(platform::kLinePair) Q queue_;
};

}  // namespace threadping::load

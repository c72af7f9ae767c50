#pragma once

#include <cstdint>

#include "mechanisms/queue.hpp"

namespace threadping::queues {

/// A queue of a library, which takes one message at a time, by value, and gives one. How is the mechanism's:
/// push(sender, message) and pop(taker, message), each false where the queue is full or empty; and a Sender and a Taker
/// where its sides keep anything.
template <class Queue, class M>
class OneByOne {
 public:
  using Message = M;
  struct Sender {};
  struct Taker {};

  static Sender sender(std::uint64_t /*producer*/) { return {}; }
  static Taker taker(std::uint64_t /*consumer*/) { return {}; }

  template <class AnySender, class Write>
  bool try_send(AnySender& sender, std::uint64_t /*count*/, Write write) {
    Message message;
    write(message, 0);
    return self().push(sender, message);
  }

  template <class AnyTaker, class Handle>
  std::uint64_t try_take(AnyTaker& taker, std::uint64_t most, Handle handle) {
    Message message;
    std::uint64_t taken = 0;
    while (taken < most && self().pop(taker, message)) {
      handle(message);
      ++taken;
    }
    return taken;
  }

 private:
  friend Queue;
  OneByOne() = default;

  /// Sends and takes as many messages as it will hold, so that its memory is touched by the thread that makes it, and
  /// not while measuring.
  void touch(std::uint64_t size) {
    auto sender = self().sender(0);
    auto taker = self().taker(0);
    Message message{};
    for (std::uint64_t sent = 0; sent < size && self().push(sender, message); ++sent) {
    }
    while (self().pop(taker, message)) {
    }
  }

  Queue& self() { return static_cast<Queue&>(*this); }
};

}  // namespace threadping::queues

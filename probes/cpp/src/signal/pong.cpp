#include "signal/pong.hpp"

#include <optional>

#include "platform/counters.hpp"
#include "signal/sequence.hpp"

namespace threadping::signal {

void Pong::run() {
  std::optional<platform::ThreadCounters> before;
  bool echoing = true;
  for (std::uint64_t received = 0;; ++received) {
    const Order order = court_.orders.receive(received);
    switch (order.kind) {
      case Order::Kind::visit:
        echoing = echoing && echo(order);  // once stopped it only waits for the end
        break;
      case Order::Kind::read_counters:
        before = platform::read_thread_counters();
        court_.orders.acknowledge();
        break;
      case Order::Kind::stop:
        if (before) court_.sides[kPong].counters = platform::read_thread_counters() - *before;
        return;
    }
  }
}

bool Pong::echo(const Order& order) {
  std::uint64_t& next = next_[order.line];
  const Taken taken = cells_.take_turns(Side::pong, order.line, next, order.turns);
  next += 2 * taken.done;
  if (taken.done < order.turns) refuse_broken_sequence(taken, next);
  return taken.done == order.turns;
}

}  // namespace threadping::signal

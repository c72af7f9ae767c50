#include "crew/member.hpp"

#include <sched.h>

#include <span>

#include "platform/counters.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {

void Member::stand() {
  const bool alone = scene_.request.pin == message::Pin::thread;
  board_.cpus_start.set(alone ? platform::pin_this_thread(scene_.request.cpus[index_]) : platform::allowed_cpus());
}

void Member::obey() {
  for (std::uint64_t number = 0;;) {
    number = await_order_after(number);
    const Order order = scene_.orders->order(number);
    if (order.kind == Order::Kind::leave) return;
    board_.obeyed.store(number, std::memory_order_release);
    if (order.kind == Order::Kind::work) work(order, number);
    if (order.kind == Order::Kind::sample) sample(order, number);
    count(order.kind);
    board_.finished.store(number, std::memory_order_release);
  }
}

/// Spins, since whoever gives orders wants its member awake and warm; yields after a while, since somebody may need
/// this very CPU.
std::uint64_t Member::await_order_after(std::uint64_t number) const {
  constexpr int kSpinsBeforeYield = 1000;
  std::uint64_t latest = 0;
  for (int spins = 0; (latest = scene_.orders->number()) == number; ++spins)
    if (spins >= kSpinsBeforeYield) sched_yield();
  return latest;
}

void Member::work(const Order& order, std::uint64_t number) {
  if (order.count > 0) return perform(order.line, order.count);
  while (scene_.orders->number() == number) perform(order.line, order.chunk);
}

/// Groups of operations the first of which is timed. What is timed counts if it began and ended inside one window; what
/// only overlapped one is censored.
void Member::sample(const Order& order, std::uint64_t number) {
  while (scene_.orders->number() == number) {
    std::uint64_t duration = 0;
    const std::uint64_t before = scene_.gate->turns();
    const std::uint64_t done = scene_.loops->timed(index_, order.line, 0, std::span(&duration, 1));
    const std::uint64_t after = scene_.gate->turns();
    const bool open = before % 2 == 1;
    if (before != after)
      recorder_.censor();
    else if (open && done == 1)
      recorder_.record(duration);
    add_ops(done);
    if (order.every > 1) perform(order.line, order.every - 1);
  }
}

void Member::perform(std::uint32_t line, std::uint64_t count) { add_ops(scene_.loops->plain(index_, line, count)); }

void Member::add_ops(std::uint64_t done) {
  board_.ops.store(board_.ops.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
}

void Member::count(Order::Kind kind) {
  platform::ThreadCounters& counters = board_.counters;
  switch (kind) {
    case Order::Kind::prepare: migrations_before_ = platform::read_migrations(); break;
    case Order::Kind::begin: before_ = platform::read_quick_counters(); break;
    case Order::Kind::end: counters = platform::read_quick_counters() - before_; break;
    case Order::Kind::finish:
      counters.migrations = platform::difference(platform::read_migrations(), migrations_before_);
      break;
    default: break;
  }
}

}  // namespace threadping::crew

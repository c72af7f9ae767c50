#include "crew/member.hpp"

#include <sched.h>

#include <span>

#include "platform/counters.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {

bool Member::stand() {
  try {
    const bool alone = request_.pin == message::Pin::thread;
    board_.cpus_start.set(alone ? platform::pin_this_thread(request_.cpus[index_]) : platform::allowed_cpus());
    return true;
  } catch (const Failure& failure) {
    board_.fail(failure.code(), failure.what());
    return false;
  }
}

void Member::obey() {
  for (std::uint64_t number = 0;;) {
    number = await_order_after(number);
    const Order order = common_.orders.order(number);
    if (order.kind == Order::Kind::leave) return;
    board_.obeyed.store(number, std::memory_order_release);
    carry_out(order, number);
    board_.finished.store(number, std::memory_order_release);
  }
}

/// Spins, since whoever gives orders wants its member awake and warm; yields after a while, since somebody may need
/// this very CPU.
std::uint64_t Member::await_order_after(std::uint64_t number) const {
  constexpr int kSpinsBeforeYield = 1000;
  std::uint64_t latest = 0;
  for (int spins = 0; (latest = common_.orders.number()) == number; ++spins)
    if (spins >= kSpinsBeforeYield) sched_yield();
  return latest;
}

void Member::carry_out(const Order& order, std::uint64_t number) {
  switch (order.kind) {
    case Order::Kind::work: return work(order, number);
    case Order::Kind::sample: return sample(order, number);
    case Order::Kind::prepare: return prepare();
    case Order::Kind::begin: return begin();
    case Order::Kind::end: return end();
    case Order::Kind::finish: return finish();
    case Order::Kind::rest:
    case Order::Kind::leave: return;
  }
}

void Member::work(const Order& order, std::uint64_t number) {
  if (order.count > 0) return perform(order.line, order.count);
  while (common_.orders.number() == number) perform(order.line, order.chunk);
}

/// Groups of operations the first of which is timed. What is timed counts if it began and ended inside one window; what
/// only overlapped one is censored.
void Member::sample(const Order& order, std::uint64_t number) {
  while (common_.orders.number() == number) {
    std::uint64_t duration = 0;
    const std::uint64_t before = common_.gate.turns();
    const std::uint64_t done = loops_.timed(index_, order.line, 0, std::span(&duration, 1));
    const std::uint64_t after = common_.gate.turns();
    const bool open = before % 2 == 1;
    if (before != after)
      recorder_->censor();
    else if (open && done == 1)
      recorder_->record(duration);
    add_ops(done);
    if (order.every > 1) perform(order.line, order.every - 1);
  }
}

void Member::perform(std::uint32_t line, std::uint64_t count) { add_ops(loops_.plain(index_, line, count)); }

void Member::add_ops(std::uint64_t done) {
  board_.ops.store(board_.ops.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
}

void Member::prepare() { before_.migrations = platform::read_migrations(); }

void Member::begin() {
  const std::optional<std::uint64_t> migrations = before_.migrations;
  before_ = platform::read_quick_counters();
  before_.migrations = migrations;
}

void Member::end() { board_.counters = platform::read_quick_counters(); }

void Member::finish() {
  board_.counters.migrations = platform::read_migrations();
  board_.counters = board_.counters - before_;
  board_.cpus_end.set(platform::allowed_cpus());
}

}  // namespace threadping::crew

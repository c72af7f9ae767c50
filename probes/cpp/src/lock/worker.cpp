#include "lock/worker.hpp"

#include <sched.h>

#include <algorithm>

#include "platform/pinning.hpp"

namespace threadping::lock {

Worker::Worker(const message::Request& request, Cells& cells, const Orders& orders, std::size_t index,
               std::size_t most_waits)
    : request_(request), cells_(cells), orders_(orders), index_(index), waits_(most_waits) {
  report_.role = "worker";
}

void Worker::run() {
  stand();
  for (std::uint64_t obeyed = kNothingYet; !failure_;) {
    const Order order = orders_.current();
    if (order.number != obeyed) {
      obey(order.kind);
      obeyed = order.number;
      obeyed_.store(obeyed, std::memory_order_release);
    }
    switch (order.kind) {
      case Order::Kind::plain: perform(order.line); break;
      case Order::Kind::sampled: sample(order.line); break;
      case Order::Kind::leave: return;
      default: sched_yield();
    }
  }
}

/// It pins itself, never the process.
void Worker::stand() {
  try {
    const bool alone = request_.pin == message::Pin::thread;
    report_.cpus_start = alone ? platform::pin_this_thread(request_.cpus[index_]) : platform::allowed_cpus();
    report_.cpus_end = report_.cpus_start;
  } catch (const Failure& failure) {
    failure_ = failure;
    obeyed_.store(kEverything, std::memory_order_release);
  }
}

void Worker::obey(Order::Kind kind) {
  if (kind == Order::Kind::begin) {
    waits_used_ = 0;
    before_ = platform::read_thread_counters();
  } else if (kind == Order::Kind::end) {
    if (before_) report_.counters = platform::read_thread_counters() - *before_;
    report_.cpus_end = platform::allowed_cpus();
  }
}

void Worker::perform(std::uint32_t line) {
  const std::uint64_t chunk = orders_.chunk.load(std::memory_order_relaxed);
  cells_.perform(index_, line, chunk);
  publish(chunk);
}

/// A chunk of groups, each of which begins with a timed operation. Where no more waits can be kept, none is timed.
void Worker::sample(std::uint32_t line) {
  const std::uint64_t chunk = orders_.chunk.load(std::memory_order_relaxed);
  const std::uint64_t every = orders_.every.load(std::memory_order_relaxed);
  const std::uint64_t groups =
      std::min<std::uint64_t>(std::max<std::uint64_t>(chunk / every, 1), waits_.size() - waits_used_);
  if (groups == 0) return perform(line);
  cells_.sample(index_, line, every, std::span(waits_).subspan(waits_used_, groups));
  waits_used_ += groups;
  publish(groups * every);
}

}  // namespace threadping::lock

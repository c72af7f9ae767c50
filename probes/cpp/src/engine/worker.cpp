#include "engine/member.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "platform/counters.hpp"
#include "platform/pinning.hpp"

namespace threadping::engine {

void Member::stand() {
  const bool alone = scene_.request.pin == contract::Pin::thread;
  board_.cpus_start.set(alone ? platform::pin_this_thread(scene_.request.cpus[index_]) : platform::allowed_cpus());
  board_.thread = gettid();
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
/// this very CPU; and then sleeps. Where there are more members than CPUs they do not yield: with 512 of them on two
/// CPUs (Linux 6.18) it took 100 to 300 ms until all had begun to obey, and 15 ms without.
std::uint64_t Member::await_order_after(std::uint64_t number) const {
  constexpr int kSpins = 1000;
  constexpr int kYields = 100;
  const int looks_before_sleep = kSpins + (crowded_ ? 0 : kYields);
  std::uint64_t latest = 0;
  for (int looks = 0; (latest = scene_.orders->number()) == number; ++looks) {
    if (looks >= looks_before_sleep)
      scene_.orders->sleep(number);
    else if (looks >= kSpins)
      sched_yield();
  }
  return latest;
}

void Member::work(const Order& order, std::uint64_t number) {
  if (order.count > 0)
    perform(order.line, order.count);
  else
    while (scene_.orders->number() == number) perform(order.line, order.chunk);
  scene_.loops->leave(index_, order.line);
}

/// Groups of operations the first of which is timed; or all that comes stamped, until nothing comes any more: what was
/// sent in a window and comes after it is censored, and not left untold.
void Member::sample(const Order& order, std::uint64_t number) {
  begin_timing();
  if (!timings_.empty()) {
    while (time(order.line, timings_) > 0 || scene_.orders->number() == number) {
    }
  } else {
    Timing one;
    while (scene_.orders->number() == number) {
      const std::uint64_t done = time(order.line, std::span(&one, 1));
      if (done > 0 && scene_.loops->between(index_, order.line) && witness_) witness_->grow_old();
      if (order.every > 1) perform(order.line, order.every - 1);
    }
  }
  scene_.loops->leave(index_, order.line);
}

/// What is timed counts if it began and ended inside one window; what only overlapped one is censored. The timings are
/// empty before and after.
std::uint64_t Member::time(std::uint32_t line, std::span<Timing> timings) {
  if (witness_) witness_->before(timed_until_ns_);
  const std::uint64_t done = scene_.loops->timed(index_, line, 0, timings);
  std::size_t given = 0;
  std::size_t inside = 0;
  for (; given < timings.size() && !timings[given].empty(); ++given) {
    timed_until_ns_ = timings[given].to_ns;
    const Place place = scene_.gate->place_of(timings[given]);
    if (place == Place::inside) timings[inside++] = timings[given];
    if (place == Place::across && done > 0) recorder_.censor();
  }
  if (done > 0) keep(timings.first(inside));
  std::ranges::fill(timings.first(given), Timing{});
  add_ops(done);
  return done;
}

/// Looks first: a look stands close to what it looks at.
void Member::keep(std::span<const Timing> timings) {
  if (witness_) witness_->after(timings);
  for (const Timing& timing : timings) recorder_.record(timing.ns());
}

void Member::perform(std::uint32_t line, std::uint64_t count) { add_ops(scene_.loops->plain(index_, line, count)); }

void Member::add_ops(std::uint64_t done) {
  if (counted_) board_.ops.store(board_.ops.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
}

/// Whether it times: where the first thread leads, nobody else does.
bool Member::times() const { return index_ == 0 || scene_.request.windows.unit == contract::Unit::ns; }

/// All members stand by now, so that the others can be looked at; and nothing is measured yet.
void Member::call_witness() {
  constexpr std::size_t kFewEnoughForTracePoints = 64;
  if (!scene_.request.outliers || !times()) return;
  std::vector<int> others;
  for (const Board& board : scene_.boards)
    if (&board != &board_) others.push_back(board.thread);
  if (others.size() > platform::kMostOthers) others.clear();
  const bool few = scene_.boards.size() <= kFewEnoughForTracePoints;
  if (few) recorder_.touch();
  witness_.emplace(*scene_.request.outliers, others, few);
}

void Member::count(Order::Kind kind) {
  platform::ThreadCounters& counters = board_.counters;
  switch (kind) {
    case Order::Kind::prepare:
      migrations_before_ = platform::read_migrations();
      call_witness();
      break;
    case Order::Kind::begin: before_ = platform::read_quick_counters(); break;
    case Order::Kind::end: counters = platform::read_quick_counters() - before_; break;
    case Order::Kind::finish:
      counters.migrations = platform::difference(platform::read_migrations(), migrations_before_);
      break;
    default: break;
  }
}

}  // namespace threadping::engine

#include "signal/trial.hpp"

#include <sched.h>

#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "platform/pinning.hpp"

namespace threadping::signal {
Trial::Trial(const message::Request& request, std::unique_ptr<Cells> cells)
    : request_(request),
      cells_(std::move(cells)),
      court_(cells_->sharing()),
      ping_(request_, *cells_, *court_, result_),
      pong_(*cells_, *court_) {
  result_.mechanism = request.mechanism;
  result_.threads.resize(2);
  result_.threads[kPing].role = "ping";
  result_.threads[kPong].role = "pong";
}

message::SignalResult Trial::run() {
  if (request_.pin == message::Pin::process) platform::pin_process(message::cpus_named(request_));
  {
    platform::Partner pong(cells_->sharing(), [this] { take_side(kPong, [this] { pong_.run(); }); });
    try {
      platform::Partner ping(platform::Sharing::threads, [this] { take_side(kPing, [this] { ping_.run(); }); });
      try {
        watch(pong);
      } catch (const Unstoppable&) {
        ping.abandon();
        throw;
      }
    } catch (const Unstoppable&) {
      pong.abandon();
      throw;
    } catch (const Failure& failure) {  // ping could not be started, and pong waits for it
      pong.abandon();
      throw Unstoppable(failure.code(), failure.what());
    }
  }
  refuse_failures();
  if (stalled_) throw Failure(ErrorCode::stalled, "No hand-over arrives any more: a signal was lost.");
  result_.cut = court_->stopping;
  for (const std::size_t index : {kPing, kPong}) {
    const SideReport& side = court_->sides[index];
    result_.threads[index].cpus_start = side.cpus_start.cpus();
    result_.threads[index].cpus_end = side.cpus_end.cpus();
    result_.threads[index].counters = side.counters;
  }
  ping_.sort_readings();
  return std::move(result_);
}

/// One side, from its pin to its end. It pins itself, never the process.
void Trial::take_side(std::size_t index, const std::function<void()>& play) {
  SideReport& own = court_->sides[index];
  try {
    const bool alone = request_.pin == message::Pin::thread;
    own.cpus_start.set(alone ? platform::pin_this_thread(request_.cpus[index]) : platform::allowed_cpus());
  } catch (const Failure& failure) {
    own.fail(failure.code(), failure.what());
  }
  if (side_by_side()) {
    try {
      play();
      own.cpus_end.set(platform::allowed_cpus());
    } catch (const Failure& failure) {
      own.fail(failure.code(), failure.what());
    } catch (const std::exception& error) {
      own.fail(ErrorCode::internal, error.what());
    }
    index == kPing ? court_->orders.send_stop() : court_->orders.leave();
  }
  court_->ended[index] = true;
  if (court_->hopeless()) stop_lines_until([&] { return court_->ended[kPing] && court_->ended[kPong]; });
  finish_.cross();
}

/// Waits until the other side stands where it is to stand; false if one of the two cannot.
bool Trial::side_by_side() {
  ++court_->pinned;
  while (court_->pinned < 2) sched_yield();
  return !court_->hopeless();
}

/// Sleeps until both sides have ended. When the bound passes first, it stops them at the next sign of life. Without
/// any for a second they have stalled: two threads that spin on one CPU hand over every few time slices.
void Trial::watch(platform::Partner& pong) {
  constexpr std::uint64_t kBetweenLooks = 5'000'000;
  constexpr int kLooks = 200;
  if (finish_.wait(request_.bound_ns)) return;
  if (const auto how = pong.died())
    throw Unstoppable(ErrorCode::internal, "Pong's process ended before its time (" + *how + ").");
  const std::uint64_t before = progress();
  bool alive = false;
  for (int look = 0; !alive && look < kLooks; ++look) {
    if (finish_.wait(kBetweenLooks)) return;
    alive = progress() != before;
  }
  stalled_ = !alive;
  court_->stopping = true;
  if (!stop_lines_until([&] { return finish_.wait(0); }))
    throw Unstoppable(ErrorCode::stalled, "The threads did not end when they were stopped: the mechanism hangs.");
}

void Trial::refuse_failures() const {
  for (const SideReport& side : court_->sides)
    if (side.failed) throw Failure(side.code, side.message.data());
}

std::uint64_t Trial::progress() {
  std::uint64_t sum = 0;
  for (std::size_t line = 0; line < cells_->size(); ++line) sum += cells_->peek(line);
  return sum;
}

template <class Done>
bool Trial::stop_lines_until(Done done) {
  constexpr int kTries = 1000;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    for (std::size_t line = 0; line < cells_->size(); ++line) cells_->stop(line);
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace threadping::signal

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "mechanism.hpp"
#include "message/request.hpp"
#include "message/result.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/finish_line.hpp"
#include "platform/lines.hpp"
#include "platform/pinning.hpp"
#include "signal/loop.hpp"
#include "signal/orders.hpp"
#include "signal/readings.hpp"
#include "signal/visit.hpp"

namespace threadping::signal {

/// The threads did not end although their cells were stopped. They still use the trial's memory.
class Unstoppable : public Failure {
 public:
  using Failure::Failure;
};

/// One trial of one mechanism: two threads, a pool of lines, and the calling thread as their watchdog.
///
/// Ping decides: it sends pong the order to visit a line, takes its turns there against the clock, looks at the time
/// and goes on to the next line. Pong echoes. Whoever finds a broken sequence stops the cell, so that the other does
/// not wait for ever; a lost hand-over shows as a bound that passes without progress.
template <SignalMechanism M>
class Trial {
 public:
  explicit Trial(const message::Request& request)
      : request_(request),
        lines_(request.lines),
        readings_(request.lines, request.measure_ns),
        stamps_(visit_of(kMostRoundTrips).singles),
        route_(request.lines),
        next_ping_(request.lines, 0),
        next_pong_(request.lines, 1) {
    std::iota(route_.begin(), route_.end(), 0U);
    std::ranges::shuffle(route_, std::mt19937_64(request.seed));
    result_.experiment = request.experiment;
    result_.mechanism = request.mechanism;
    result_.threads.resize(2);
    result_.threads[kPing].role = "ping";
    result_.threads[kPong].role = "pong";
  }

  /// Measures. Throws Failure for what the contract calls an error.
  message::Result run() {
    std::array threads{std::thread([this] { side(kPing); }), std::thread([this] { side(kPong); })};
    try {
      watch();
    } catch (const Unstoppable&) {
      for (std::thread& thread : threads) thread.detach();
      throw;
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    if (stalled_) throw Failure(ErrorCode::stalled, "No hand-over arrives any more: a signal was lost.");
    result_.cut = stopping_;
    result_.lines = readings_.blocks_by_line();
    result_.singles = readings_.singles_by_value();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kPing = 0;
  static constexpr std::size_t kPong = 1;

  /// One measuring thread, from its pin to its end. It pins itself, never the process.
  void side(std::size_t index) {
    message::ThreadResult& own = result_.threads[index];
    try {
      own.cpus_start = platform::pin_this_thread(request_.cpus[index]);
    } catch (...) {
      failures_[index] = std::current_exception();
      hopeless_ = true;
    }
    start_.arrive_and_wait();
    if (!hopeless_) {
      try {
        index == kPing ? ping() : pong();
        own.cpus_end = platform::allowed_cpus();
      } catch (...) {
        failures_[index] = std::current_exception();
        hopeless_ = true;
      }
      index == kPing ? orders_.send_stop() : orders_.acknowledge();  // a failed side leaves the other no wait
    }
    ended_[index] = true;
    if (hopeless_) stop_lines_until([&] { return ended_[kPing] && ended_[kPong]; });
    finish_.cross();
  }

  // ---- ping ----

  void ping() {
    result_.clock = platform::measure_clock();
    if (const auto round_trip_ns = warm_up())
      measure(calibrated_visit(request_.measure_ns, *round_trip_ns, request_.lines, readings_.singles_left()));
  }

  /// What came of a visit: the block's clock pair if it was completed, and how many stamps stand in stamps_.
  struct Visited {
    bool complete = false;
    bool block_complete = false;
    std::uint64_t block_start = 0;
    std::uint64_t block_end = 0;
    std::uint64_t singles = 0;
  };

  /// Takes pong along to `line` and back and forth there, as `visit` says.
  Visited go(std::uint32_t line, const Visit& visit) {
    auto& cell = lines_[line];
    std::uint64_t& next = next_ping_[line];
    orders_.send({.kind = Order::Kind::visit, .line = line, .turns = visit.turns()});
    Visited visited;

    const Taken lead_in = take_turns<M, Side::ping>(cell, next, visit.lead_in);
    if (!count(lead_in, visit.lead_in, next)) return visited;

    visited.block_start = platform::now_ns();
    const Taken block = take_turns<M, Side::ping>(cell, next, visit.block);
    visited.block_end = platform::now_ns();
    visited.block_complete = count(block, visit.block, next);
    if (!visited.block_complete) {
      partial_ = {.line = line,
                  .round_trips = static_cast<std::uint32_t>(block.done),
                  .ns = visited.block_end - visited.block_start};
      return visited;
    }
    const Taken singles = stamp_turns<M>(cell, next, std::span(stamps_).first(visit.singles));
    visited.singles = singles.done;
    visited.complete = count(singles, visit.singles, next) && !stopping_;
    return visited;
  }

  /// Counts the turns taken from `next` on, which it moves; false when not all that were wanted could be taken.
  bool count(const Taken& taken, std::uint64_t wanted, std::uint64_t& next) {
    next += 2 * taken.done;
    ops_ += 2 * taken.done;
    if (taken.done < wanted) refuse_broken_sequence(taken, next);
    return taken.done == wanted;
  }

  /// Visits that double in length until one takes a millisecond, so that even a pair that needs a time slice for each
  /// hand-over is noticed at once; then as many as the request wants, within its limit. Returns the mean round trip of
  /// the quickest visit (a slower one was disturbed), or nothing if the trial was stopped.
  std::optional<double> warm_up() {
    constexpr std::uint64_t kLongEnough = 1'000'000;
    const std::uint64_t wanted = request_.warmup.rounds * request_.warmup.ops;
    const std::uint64_t start = platform::now_ns();
    std::uint64_t now = start;
    std::uint32_t block = 1;
    bool calibrated = false;
    bool complete = true;
    double quickest_ns = std::numeric_limits<double>::max();
    for (std::size_t step = 0; complete && (!calibrated || (ops_ < wanted && now - start < request_.warmup.limit_ns));
         ++step) {
      const std::uint64_t before = now;
      const Visit visit = visit_of(block);
      complete = go(route_[step % route_.size()], visit).complete;
      now = platform::now_ns();
      quickest_ns = std::min(quickest_ns, static_cast<double>(now - before) / visit.turns());
      calibrated = calibrated || block == kMostRoundTrips || now - before >= kLongEnough;
      if (!calibrated) block = std::min(2 * block, kMostRoundTrips);
    }
    result_.warmup_ops = std::exchange(ops_, 0);
    result_.warmup_ns = now - start;
    result_.warmup_complete = result_.warmup_ops >= wanted;
    if (!complete) return std::nullopt;
    return quickest_ns;
  }

  void measure(Visit visit) {
    orders_.send({.kind = Order::Kind::read_counters});
    orders_.await_acknowledgement();
    const platform::CpuSet cpus = cpus_in_use();
    const auto machine_before = platform::read_machine_counters(cpus);
    const auto counters_before = platform::read_thread_counters();

    const std::uint64_t start = platform::now_ns();
    std::uint64_t now = start;
    bool complete = true;
    for (std::size_t step = 0; complete && now - start < request_.measure_ns && readings_.has_room(); ++step) {
      const std::uint32_t line = route_[step % route_.size()];
      visit.singles = std::min(visit.singles, readings_.singles_left());
      const Visited visited = go(line, visit);
      complete = visited.complete;
      if (visited.block_complete) {
        readings_.add_block(line, visit.block, visited.block_start, visited.block_end);
        readings_.add_singles(visited.block_end, std::span(stamps_).first(visited.singles));
      }
      now = platform::now_ns();
    }

    result_.threads[kPing].counters = platform::read_thread_counters() - counters_before;
    result_.machine = platform::read_machine_counters(cpus) - machine_before;
    result_.measured_ns = now - start;
    result_.measured_ops = ops_;
    result_.block_round_trips = visit.block;
    if (partial_ && partial_->round_trips > 0) result_.partial = partial_;
  }

  /// The CPUs on which the two threads may run.
  [[nodiscard]] platform::CpuSet cpus_in_use() const {
    platform::CpuSet cpus;
    std::ranges::set_union(result_.threads[kPing].cpus_start, result_.threads[kPong].cpus_start,
                           std::back_inserter(cpus));
    return cpus;
  }

  // ---- pong ----

  void pong() {
    std::optional<platform::ThreadCounters> before;
    bool echoing = true;
    for (std::uint64_t received = 0;; ++received) {
      const Order order = orders_.receive(received);
      switch (order.kind) {
        case Order::Kind::visit:
          echoing = echoing && echo(order);  // once stopped it only waits for the end
          break;
        case Order::Kind::read_counters:
          before = platform::read_thread_counters();
          orders_.acknowledge();
          break;
        case Order::Kind::stop:
          if (before) result_.threads[kPong].counters = platform::read_thread_counters() - *before;
          return;
      }
    }
  }

  bool echo(const Order& order) {
    std::uint64_t& next = next_pong_[order.line];
    const Taken taken = take_turns<M, Side::pong>(lines_[order.line], next, order.turns);
    next += 2 * taken.done;
    if (taken.done < order.turns) refuse_broken_sequence(taken, next);
    return taken.done == order.turns;
  }

  static void refuse_broken_sequence(const Taken& taken, std::uint64_t expected) {
    if (taken.seen >= kPoison) return;  // stopped, not broken
    throw Failure(ErrorCode::sequence_broken, "Hand-over " + std::to_string(expected) + " was due, but " +
                                                  std::to_string(taken.seen) + " was there: one was lost or doubled.");
  }

  // ---- the watchdog ----

  /// Sleeps until both sides have ended. When the bound passes first, it stops them at the next sign of life. Without
  /// any for half a second they have stalled: two threads that spin on one CPU hand over every few time slices.
  void watch() {
    constexpr std::uint64_t kBetweenLooks = 5'000'000;
    constexpr int kLooks = 100;
    if (finish_.wait(request_.bound_ns)) return;
    const std::uint64_t before = progress();
    bool alive = false;
    for (int look = 0; !alive && look < kLooks; ++look) {
      if (finish_.wait(kBetweenLooks)) return;
      alive = progress() != before;
    }
    stalled_ = !alive;
    stopping_ = true;
    if (!stop_lines_until([&] { return finish_.wait(0); }))
      throw Unstoppable(ErrorCode::stalled, "The threads did not end when they were stopped: the mechanism hangs.");
  }

  std::uint64_t progress() {
    std::uint64_t sum = 0;
    for (std::size_t line = 0; line < lines_.size(); ++line) sum += M::peek(lines_[line]);
    return sum;
  }

  /// Stops every line again and again, since a side that is just storing may overwrite the poison; gives up, and
  /// returns false, after a second.
  template <class Done>
  bool stop_lines_until(Done done) {
    constexpr int kTries = 1000;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      for (std::size_t line = 0; line < lines_.size(); ++line) M::stop(lines_[line]);
      if (done()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  const message::Request request_;
  message::Result result_;
  platform::Lines<typename M::Cell> lines_;
  Readings readings_;
  std::vector<std::uint64_t> stamps_;     ///< Of the visit in progress.
  std::vector<std::uint32_t> route_;      ///< The lines in the order in which they are visited.
  std::vector<std::uint64_t> next_ping_;  ///< For each line, ping's next turn
  std::vector<std::uint64_t> next_pong_;  ///< and pong's.
  std::uint64_t ops_ = 0;
  std::optional<message::PartialBlock> partial_;
  Orders orders_;
  std::barrier<> start_{2};
  platform::FinishLine finish_{2};
  std::array<std::exception_ptr, 2> failures_;
  std::array<std::atomic<bool>, 2> ended_{};
  std::atomic<bool> hopeless_ = false;  ///< A side has failed.
  std::atomic<bool> stopping_ = false;  ///< The watchdog has begun to stop the lines.
  bool stalled_ = false;
};

}  // namespace threadping::signal

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "experiments/signal/signal.hpp"
#include "mechanisms/message.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/queue.hpp"
#include "own/adapters.hpp"
#include "own/concepts.hpp"
#include "platform/lines.hpp"

// The same operations as an experiment's with nothing around them: two threads, two clock readings, no orders, no
// windows, no end to look for. What a trial takes longer than this is what threadping's own loop costs.

namespace threadping::own {

/// The threads' CPUs, in the order of a trial's.
using Standing = std::array<int, 2>;

/// Performs both parts at once, each on its CPU: nanoseconds from when both are ready until the first has ended, by its
/// own clock readings.
std::uint64_t timed_together(const Standing& cpus, const std::function<void()>& first,
                             const std::function<void()>& other);

/// What an operation takes in a loop of `count`: it is asked again and again, for more each time.
using BareLoop = std::function<double(const Standing& cpus, std::uint64_t count)>;

/// What an operation takes in a loop of about `target_ns`.
double ns_in_bare_loop(const BareLoop& loop, const Standing& cpus, std::uint64_t target_ns);

// --- signals ---

inline constexpr std::uint64_t kBareTurns = 512;  ///< Taken on a line before the next one.

template <OwnSignal S>
using BareLines = platform::Lines<signals::TwoLines<S>>;

template <bool kAsks, OwnSignal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void take_bare_turns(const BareLines<S>& lines,
                                                                          std::uint64_t visits) {
  for (std::uint64_t visit = 0; visit < visits; ++visit) {
    auto& cell = lines[visit % lines.size()];
    const std::uint64_t first = visit / lines.size() * kBareTurns + 1;
    for (std::uint64_t number = first; number < first + kBareTurns; ++number) {
      if constexpr (kAsks) cell.ping.publish(number);
      static_cast<void>((kAsks ? cell.pong : cell.ping).await(number));
      if constexpr (!kAsks) cell.pong.publish(number);
    }
  }
}

/// One way. Over as many lines as a trial has: one line's home in the last-level cache is luck.
template <OwnSignal S>
double signal_in_bare_loop(const Standing& cpus, std::uint64_t count) {
  const BareLines<S> lines(is_blocking<S>() ? 1 : signal::kManyLines);
  const std::uint64_t visits = (count + kBareTurns - 1) / kBareTurns;
  const std::uint64_t ns = timed_together(
      cpus, [&] { take_bare_turns<true, S>(lines, visits); }, [&] { take_bare_turns<false, S>(lines, visits); });
  return static_cast<double>(ns) / static_cast<double>(2 * visits * kBareTurns);
}

// --- locks ---

/// As `lock` has them, a line pair for each.
template <OwnLock L>
struct BareCell {
  alignas(platform::kLinePair) LockOf<L> lock;
  alignas(platform::kLinePair) std::uint64_t counter = 0;
};

template <OwnLock L>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void make_bare_increments(BareCell<L>& cell, std::uint64_t count) {
  for (; count > 0; --count) {
    cell.lock.acquire({});
    ++cell.counter;
    cell.lock.release({});
  }
}

/// Runs one thread: with two, the lock's fairness would decide.
template <OwnLock L>
double lock_in_bare_loop(const Standing& cpus, std::uint64_t count) {
  const auto cell = std::make_unique<BareCell<L>>();
  const std::uint64_t ns = timed_together(cpus, [&] { make_bare_increments<L>(*cell, count); }, [] {});
  return static_cast<double>(ns) / static_cast<double>(count);
}

// --- barriers ---

template <class C>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void call_bare_rounds(C& barrier, std::uint64_t count) {
  for (std::uint64_t round = 1; round <= count; ++round) {
    barrier.release(round, {.first = 0, .count = 1});
    barrier.join(round);
  }
}

template <class C>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void attend_bare_rounds(C& barrier, std::uint64_t count) {
  for (std::uint64_t round = 1; round <= count; ++round) {
    barrier.await(0, round);
    barrier.arrive(0, round);
  }
}

/// A round of a coordinator and one worker.
template <OwnBarrier C>
double barrier_in_bare_loop(const Standing& cpus, std::uint64_t count) {
  const auto barrier = std::make_unique<BarrierOf<C>>(barriers::Shape{}, no_params());
  const std::uint64_t ns =
      timed_together(cpus, [&] { call_bare_rounds(*barrier, count); }, [&] { attend_bare_rounds(*barrier, count); });
  return static_cast<double>(ns) / static_cast<double>(count);
}

// --- queues ---

inline constexpr std::uint64_t kBareSize = 65'536;  ///< The default of `queue`.

/// A queue, and how many messages were taken: one that is never full has no more than its size in flight.
template <class Q>
struct BareQueue {
  Q queue{kBareSize};
  queues::Sequence taken;

  bool send(const queues::Bare& message) {
    if constexpr (all(kPolledOperations<Q>))
      return queue.push(message);
    else
      return queue.send(message);
  }
  bool take(queues::Bare& message) {
    if constexpr (all(kPolledOperations<Q>))
      return queue.pop(message);
    else
      return queue.take(message);
  }
};

template <class Q>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void send_bare(BareQueue<Q>& to, std::uint64_t count) {
  std::uint64_t until = kBareSize;
  for (std::uint64_t number = 0; number < count; ++number) {
    if constexpr (!is_bounded<Q>())
      while (number >= until) until = to.taken.value.load(std::memory_order_acquire) + kBareSize;
    queues::Bare message;
    message.id = number;
    while (!to.send(message)) {
    }
  }
}

/// Gives how many came that were not due.
template <class Q>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t take_bare(BareQueue<Q>& from, std::uint64_t count) {
  std::uint64_t wrong = 0;
  for (std::uint64_t due = 0; due < count; ++due) {
    queues::Bare message;
    while (!from.take(message)) {
    }
    wrong += message.id != due;
    if constexpr (!is_bounded<Q>()) from.taken.value.store(due + 1, std::memory_order_release);
  }
  return wrong;
}

/// Refuses, as a check does, messages that came out of order.
void refuse_wrong(std::uint64_t messages);

template <class Q>
double queue_in_bare_loop(const Standing& cpus, std::uint64_t count) {
  const auto queue = std::make_unique<BareQueue<Q>>();
  std::uint64_t wrong = 0;
  send_bare(*queue, kBareSize / 2);  // so that its memory is touched, as a trial does it
  take_bare(*queue, kBareSize / 2);
  queue->taken.value = 0;
  const std::uint64_t ns =
      timed_together({cpus[1], cpus[0]}, [&] { wrong = take_bare(*queue, count); }, [&] { send_bare(*queue, count); });
  refuse_wrong(wrong);
  return static_cast<double>(ns) / static_cast<double>(count);
}

}  // namespace threadping::own

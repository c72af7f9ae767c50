#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "engine/experiment.hpp"
#include "failure.hpp"
#include "mechanisms/signal.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "waits/pauses.hpp"

namespace threadping::wakeup {

using std::chrono::nanoseconds;

/// A notifier and its waiter. The number that the notifier publishes counts its calls, and its leaving as one more.
/// Its further data is in the signal's own line if it fits there; what a side keeps to itself is on a line of
/// its own.
template <signals::Signal S>
struct alignas(platform::kLinePair) WakeupPair {
  S::Cell cell = signals::cell_for<typename S::Cell>(platform::Sharing::threads);
  std::atomic<std::uint64_t> first{0};          ///< The first timed call that the waiter had not taken,
  std::atomic<std::uint64_t> first_ns{0};       ///< and when it began.
  std::atomic<std::uint64_t> last{UINT64_MAX};  ///< The number that is no call: none comes any more.
  std::atomic<bool> stopped{false};             ///< By the watchdog; a call may overwrite its mark in the signal.
  alignas(platform::kLinePair) std::uint64_t published = 0;  ///< The notifier's latest number,
  std::span<std::byte> buffer;                               ///< the buffer that it fills before each call,
  nanoseconds next_pause;                                    ///< and its pause before the next.
  waits::Pauses notifier_pauses;
  alignas(platform::kLinePair) std::atomic<std::uint64_t> taken{0};  ///< What the waiter has seen published.
  waits::Pauses waiter_pauses;

  WakeupPair(std::span<std::byte> bytes, nanoseconds first_pause) : buffer(bytes), next_pause(first_pause) { fill(0); }

  /// Puts another content into the buffer each time, which the compiler may not drop.
  void fill(std::uint64_t content) {
    std::ranges::fill(buffer, static_cast<std::byte>(content));
    asm volatile("" : : "r"(buffer.data()) : "memory");
  }
};

/// One call, timed. Of several calls before the waiter comes the first has woken it, and a wake-up is as long as from
/// there: so it alone shows when it began. Whether all were taken is looked up before the clock is read, since that
/// costs a cache miss.
template <signals::Signal S>
[[gnu::always_inline]] inline void time_call(const S& signal, WakeupPair<S>& pair, engine::Samples& samples) {
  const bool is_first = pair.taken.load(std::memory_order_acquire) == pair.published++;
  const std::uint64_t from_ns = platform::now_ns();
  if (is_first) {
    pair.first.store(pair.published, std::memory_order_relaxed);
    pair.first_ns.store(from_ns, std::memory_order_relaxed);
  }
  signal.publish(pair.cell, pair.published);
  samples.add(from_ns, platform::now_ns());
  samples.read_clock(2);
}

/// The notifier's loop. It pauses before each call: what is asked about is the call of a thread that comes back.
template <signals::Signal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_calls(S signal, WakeupPair<S>& pair,
                                                                                 nanoseconds pause,
                                                                                 const engine::Task& task,
                                                                                 engine::Samples& samples) {
  for (std::uint64_t done = 0; done < task.count; ++done) {
    const bool is_timed = task.every > 0 && done % task.every == task.every / 2;
    pair.notifier_pauses.pause(std::exchange(pair.next_pause, pause), pair.stopped);
    if (is_timed) samples.about_to_time();
    pair.fill(pair.published);
    if (is_timed)
      time_call(signal, pair, samples);
    else
      signal.publish(pair.cell, ++pair.published);
  }
  return task.count;
}

/// The waiter's: waits until called and takes all calls that came; gives how many, or 0 where the notifier has left and
/// all is taken, or the pair was stopped. Times the wake-up where it had to wait and the first of them says when it
/// began: from there to the waiter's first instruction.
template <signals::Signal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t await_call(S signal, WakeupPair<S>& pair,
                                                                              engine::Samples& samples) {
  const std::uint64_t taken = pair.taken.load(std::memory_order_relaxed);
  if (taken >= pair.last.load(std::memory_order_relaxed)) return 0;
  const bool has_to_wait = signal.peek(pair.cell) == taken;
  const std::uint64_t seen = signal.await(pair.cell, taken + 1);
  const bool is_timed = has_to_wait && pair.first.load(std::memory_order_relaxed) == taken + 1;
  const std::uint64_t now = is_timed ? platform::now_ns() : 0;
  if (seen >= signals::kStopped) return 0;
  const std::uint64_t calls = seen - taken - (seen >= pair.last.load(std::memory_order_relaxed) ? 1 : 0);
  if (is_timed) samples.add(pair.first_ns.load(std::memory_order_relaxed), now);
  samples.read_clock(is_timed ? 1 : 0);
  samples.tally(0, calls, has_to_wait && calls > 0 ? 1 : 0);
  pair.taken.store(seen, std::memory_order_release);  // from here on the notifier stamps another call
  return calls;
}

/// A pair's player: the notifier or the waiter.
template <signals::Signal S, bool kNotifies>
class WakeupPlayer final : public engine::Player {
 public:
  WakeupPlayer(const S& signal, WakeupPair<S>& pair, nanoseconds pause) : signal_(signal), pair_(pair), pause_(pause) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    if constexpr (kNotifies) return perform_calls(signal_, pair_, pause_, task, samples);
    std::uint64_t done = 0;
    for (std::uint64_t calls = 1; calls > 0 && done < task.count; done += calls) {
      pair_.waiter_pauses.pause(pause_, pair_.stopped);
      samples.about_to_time();
      calls = await_call(signal_, pair_, samples);
    }
    return done;
  }

  std::uint64_t leave(engine::Samples& samples) override {
    if constexpr (!kNotifies) return run({.count = UINT64_MAX}, samples);
    pair_.last.store(pair_.published + 1, std::memory_order_relaxed);  // seen with the number
    signal_.publish(pair_.cell, ++pair_.published);
    return 0;
  }

 private:
  const S signal_;
  WakeupPair<S>& pair_;
  const nanoseconds pause_;
};

/// How long the pairs of a trial pause first: up to a pause, as the seed draws it. Not inlined, so that the generator's
/// code is there once.
class FirstPauses {
 public:
  [[gnu::noinline]] FirstPauses(std::uint64_t seed, nanoseconds pause)
      : random_(seed), up_to_a_pause_(0, pause.count()) {}

  [[gnu::noinline]] nanoseconds next() { return nanoseconds(up_to_a_pause_(random_)); }

 private:
  std::mt19937_64 random_;
  std::uniform_int_distribution<std::int64_t> up_to_a_pause_;
};

/// The number of pairs. Throws Failure(bad_request) where a thread is left over.
[[gnu::noinline]] inline std::size_t pairs_of(std::size_t threads) {
  if (threads % 2 != 0)
    throw Failure(ErrorCode::bad_request, "wakeup takes pairs of threads, each a notifier and a waiter, not " +
                                              std::to_string(threads) + " threads.");
  return threads / 2;
}

/// The pairs of a trial: each begins with a pause of its own length, so that they drift, as pairs do that are started
/// one after the other.
template <signals::Signal S>
class WakeupStage final : public engine::Stage {
 public:
  explicit WakeupStage(const engine::Setup& setup)
      : signal_(signals::made_with<S>(setup.params)),
        pause_(std::chrono::microseconds(setup.params.number("pause"))),
        waiter_pause_(std::chrono::microseconds(setup.params.number("waiter-pause"))),
        pairs_(pairs_of(setup.threads), platform::Sharing::threads, buffer_of(setup),
               [&, first = FirstPauses(setup.seed, pause_)](void* place, std::byte* extra) mutable {
                 new (place) WakeupPair<S>(std::span(extra, buffer_of(setup)), first.next());
               }) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    WakeupPair<S>& pair = pairs_[thread / 2];
    if (role_of(thread) == 0) return std::make_unique<WakeupPlayer<S, true>>(signal_, pair, pause_);
    return std::make_unique<WakeupPlayer<S, false>>(signal_, pair, waiter_pause_);
  }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override { return one / 2 == other / 2; }

  void stop(std::size_t /*line*/) override {
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
      pairs_[index].stopped.store(true, std::memory_order_release);
      signal_.stop(pairs_[index].cell);
    }
  }
  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override {
    std::uint64_t sum = 0;
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
      const WakeupPair<S>& pair = pairs_[index];
      sum += signal_.peek(pair.cell) + pair.taken.load(std::memory_order_relaxed) + pair.notifier_pauses.stretches() +
             pair.waiter_pauses.stretches();
    }
    return sum;
  }

  /// What was called, and what the waiters took of it; a pair that was stopped has not come to its end.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    contract::Held calls;
    for (std::size_t thread = 0; thread < ops.size(); ++thread) {
      if (pairs_[thread / 2].stopped) return {};
      (role_of(thread) == 0 ? calls.made : calls.found) += ops[thread];
    }
    return contract::single_count("calls", calls);
  }
  [[nodiscard]] const std::byte* memory() const override { return pairs_.memory(); }

 private:
  static std::size_t buffer_of(const engine::Setup& setup) {
    return static_cast<std::size_t>(setup.params.number("message-bytes"));
  }

  const S signal_;
  const nanoseconds pause_;
  const nanoseconds waiter_pause_;
  const platform::Lines<WakeupPair<S>> pairs_;
};

}  // namespace threadping::wakeup

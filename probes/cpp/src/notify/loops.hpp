#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <thread>

#include "crew/experiment.hpp"
#include "mechanisms/signal.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::notify {

/// What the notifier tells its waiter beside the number that it publishes, which counts its calls and how often it has
/// left. Stands behind the signal's cell, in the same line where there is room.
struct Told {
  std::atomic<std::uint64_t> first{0};     ///< The number of the first timed call that the waiter had not taken,
  std::atomic<std::uint64_t> first_ns{0};  ///< and when that began.
  std::atomic<std::uint64_t> leave{0};     ///< The number that is no call: it says that none comes until ordered again.
  std::atomic<bool> stopped{false};        ///< By the watchdog. A call may overwrite what it left in the signal.
};

/// What a notifier keeps to itself; the watchdog only looks.
struct alignas(platform::kLinePair) Notifier {
  std::span<std::byte> buffer;            ///< Which it fills before each call.
  std::uint64_t published = 0;            ///< Its calls, and how often it has left;
  std::uint64_t left = 0;                 ///< the latter alone.
  std::atomic<std::uint64_t> pauses = 0;  ///< Stretches of them, as a sign of life.
};

/// What a waiter keeps to itself.
struct alignas(platform::kLinePair) Waiter {
  std::atomic<std::uint64_t> taken = 0;     ///< What it has seen published,
  std::uint64_t calls = 0;                  ///< and how many calls of it.
  std::atomic<std::uint64_t> wake_ups = 0;  ///< How often it had to wait for one.
  std::uint64_t closed = 0;                 ///< How often it has seen the notifier leave,
  std::uint64_t left = 0;                   ///< and how often it has left itself.
  std::atomic<std::uint64_t> pauses = 0;
};

/// A notifier and its waiter.
template <signals::Signal S>
struct alignas(platform::kLinePair) Pair {
  S::Cell cell = signals::cell_for<typename S::Cell>(platform::Sharing::threads);
  Told told;
  Notifier notifier;
  Waiter waiter;

  explicit Pair(std::span<std::byte> buffer) { notifier.buffer = buffer; }
};

/// Sleeps so long, or until the pair is stopped.
inline void pause(const Told& told, std::atomic<std::uint64_t>& pauses, std::chrono::nanoseconds time) {
  constexpr std::chrono::nanoseconds kStretch = std::chrono::milliseconds(10);
  for (; time.count() > 0 && !told.stopped.load(std::memory_order_relaxed); time -= std::min(time, kStretch)) {
    std::this_thread::sleep_for(std::min(time, kStretch));
    pauses.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Puts another content into the buffer each time, which the compiler may not drop.
inline void fill(std::span<std::byte> buffer, std::uint64_t content) {
  std::memset(buffer.data(), static_cast<int>(content & 0xFF), buffer.size());
  asm volatile("" : : "r"(buffer.data()) : "memory");
}

/// The notifier's loop: calls so often, and pauses after each call.
template <signals::Signal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform_calls(S signal, Pair<S>& pair,
                                                                        std::chrono::nanoseconds time,
                                                                        std::uint64_t count) {
  for (std::uint64_t done = 0; done < count; ++done) {
    fill(pair.notifier.buffer, done);
    signal.publish(pair.cell, ++pair.notifier.published);
    pause(pair.told, pair.notifier.pauses, time);
  }
}

/// The same, each call timed; without the pauses. Of several calls before the waiter comes the first has woken it, and
/// a wake-up is as long as from there: so it alone tells when it began. Whether all were taken is looked up before the
/// clock is read, since that costs a cache miss.
template <signals::Signal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void time_calls(S signal, Pair<S>& pair,
                                                                     std::span<crew::Timing> timings) {
  for (crew::Timing& timing : timings) {
    const std::uint64_t before = pair.notifier.published++;
    fill(pair.notifier.buffer, before);
    const bool is_first = pair.waiter.taken.load(std::memory_order_acquire) == before;
    timing.from_ns = platform::now_ns();
    if (is_first) {
      pair.told.first.store(before + 1, std::memory_order_relaxed);
      pair.told.first_ns.store(timing.from_ns, std::memory_order_relaxed);
    }
    signal.publish(pair.cell, before + 1);
    timing.to_ns = platform::now_ns();
  }
}

/// Waits until called and takes all calls that came. Gives when the first began and when the waiter's first
/// instruction came: empty where it did not have to wait, or nobody timed the call. Nothing where the notifier has
/// left, after all that it called before was taken, or the pair was stopped.
template <signals::Signal S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::optional<crew::Timing> await_call(S signal, Pair<S>& pair) {
  const Told& told = pair.told;
  Waiter& waiter = pair.waiter;
  const std::uint64_t taken = waiter.taken.load(std::memory_order_relaxed);
  if (waiter.closed != waiter.left || told.stopped.load(std::memory_order_acquire)) return std::nullopt;
  const bool has_to_wait = signal.peek(pair.cell) <= taken;
  const std::uint64_t seen = signal.await(pair.cell, taken + 1);
  const std::uint64_t now = platform::now_ns();
  if (seen >= signals::kStopped) return std::nullopt;
  const bool closed = told.leave.load(std::memory_order_relaxed) == seen;
  const std::uint64_t calls = seen - taken - (closed ? 1 : 0);
  const std::uint64_t first_ns = told.first_ns.load(std::memory_order_relaxed);
  const bool is_timed = told.first.load(std::memory_order_relaxed) == taken + 1 && first_ns <= now;
  waiter.calls += calls;
  waiter.closed += closed ? 1 : 0;
  waiter.taken.store(seen, std::memory_order_release);  // from here on the notifier tells of another call
  if (calls == 0) return std::nullopt;
  if (!has_to_wait) return crew::Timing{};
  waiter.wake_ups.fetch_add(1, std::memory_order_relaxed);
  return is_timed ? crew::Timing{.from_ns = first_ns, .to_ns = now} : crew::Timing{};
}

/// How long a notifier pauses while it warms up: not at all. But where there are more of them than CPUs, the shortest
/// sleep: they would keep each other from beginning for a time slice each. To yield instead would cost them more than
/// that when measuring begins (crew/member.cpp).
inline std::chrono::nanoseconds warm_up_pause(std::size_t pairs) {
  return std::chrono::nanoseconds(pairs > std::thread::hardware_concurrency() ? 1 : 0);
}

/// The pairs of a trial, so many on each line, and the loops of their two roles.
template <signals::Signal S>
class NotifyLoops final : public crew::Loops {
 public:
  explicit NotifyLoops(const crew::Setup& setup)
      : signal_(signals::made_with<S>(setup.params)),
        pairs_(setup.threads / 2),
        pause_(std::chrono::microseconds(setup.params.number("pause"))),
        waiter_pause_(std::chrono::microseconds(setup.params.number("waiter-pause"))),
        cells_(setup.lines * pairs_, platform::Sharing::threads, buffer_of(setup), [&](void* place, std::byte* room) {
          const std::span buffer(room, buffer_of(setup));
          fill(buffer, 0);
          new (place) Pair<S>(buffer);
        }) {}

  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    Pair<S>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      perform_calls(signal_, pair, notifier_pause_, count);
      return count;
    }
    for (std::uint64_t done = 0; done < count; ++done) {
      if (!await_call(signal_, pair)) return done;
      pause(pair.told, pair.waiter.pauses, waiter_pause_);
    }
    return count;
  }

  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<crew::Timing> timings) override {
    Pair<S>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      time_calls(signal_, pair, timings);
      return timings.size();
    }
    for (std::size_t done = 0; done < timings.size(); ++done) {
      const std::optional<crew::Timing> wake = await_call(signal_, pair);
      if (!wake) return done;
      timings[done] = *wake;
    }
    return timings.size();
  }

  bool between(std::size_t thread, std::size_t line) override {
    Pair<S>& pair = pair_of(thread, line);
    const std::chrono::nanoseconds time = is_notifier(thread) ? notifier_pause_ : waiter_pause_;
    pause(pair.told, is_notifier(thread) ? pair.notifier.pauses : pair.waiter.pauses, time);
    return time.count() > 0;
  }

  /// The waiter leaves when its notifier has left, so that it has seen every call.
  void leave(std::size_t thread, std::size_t line) override {
    Pair<S>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      pair.told.leave.store(++pair.notifier.published, std::memory_order_relaxed);
      ++pair.notifier.left;
      signal_.publish(pair.cell, pair.notifier.published);
      return;
    }
    while (await_call(signal_, pair)) {
    }
    if (pair.waiter.left < pair.waiter.closed) ++pair.waiter.left;
  }

  bool warmed_up() override {
    notifier_pause_ = pause_;
    return pause_ != warm_up_pause(pairs_);
  }

  [[nodiscard]] bool counted(std::size_t thread) const override { return is_notifier(thread); }

  void stop(std::size_t line) override {
    for (std::size_t thread = 0; thread < 2 * pairs_; thread += 2) {
      Pair<S>& pair = pair_of(thread, line);
      pair.told.stopped.store(true, std::memory_order_release);
      signal_.stop(pair.cell);
    }
  }

  std::uint64_t progress(std::size_t line) override {
    std::uint64_t sum = 0;
    for (std::size_t thread = 0; thread < 2 * pairs_; thread += 2) {
      Pair<S>& pair = pair_of(thread, line);
      sum += signal_.peek(pair.cell);
      for (const auto* count : {&pair.waiter.taken, &pair.notifier.pauses, &pair.waiter.pauses})
        sum += count->load(std::memory_order_relaxed);
    }
    return sum;
  }

  /// A waiter that the bound kept from following its notifier to the end has not seen all calls.
  message::Counts counts(std::uint64_t made) override {
    message::Held calls{.made = made};
    message::Held wake_ups{.made = made, .exact = false};
    for (std::size_t index = 0; index < cells_.size(); ++index) {
      const Pair<S>& pair = cells_[index];
      if (pair.told.stopped || pair.waiter.left != pair.notifier.left) return {};
      calls.found += pair.waiter.calls;
      wake_ups.found += pair.waiter.wake_ups;
    }
    return {{"calls", calls}, {"wake-ups", wake_ups}};
  }

  [[nodiscard]] const std::byte* memory() const override { return cells_.memory(); }

 private:
  static std::size_t buffer_of(const crew::Setup& setup) {
    return static_cast<std::size_t>(setup.params.number("buffer"));
  }
  static bool is_notifier(std::size_t thread) { return thread % 2 == 0; }
  Pair<S>& pair_of(std::size_t thread, std::size_t line) { return cells_[line * pairs_ + thread / 2]; }

  const S signal_;
  const std::size_t pairs_;
  const std::chrono::nanoseconds pause_;
  const std::chrono::nanoseconds waiter_pause_;
  std::chrono::nanoseconds notifier_pause_ = warm_up_pause(pairs_);
  platform::Lines<Pair<S>> cells_;
};

}  // namespace threadping::notify

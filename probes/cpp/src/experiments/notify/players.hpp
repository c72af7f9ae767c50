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

#include "engine/experiment.hpp"
#include "notify/mechanism.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::notify {

/// What a notifier keeps to itself; the watchdog only looks.
struct alignas(platform::kLinePair) Notifier {
  std::span<std::byte> buffer;            ///< Which it fills before each call.
  std::atomic<std::uint64_t> pauses = 0;  ///< Stretches of them, as a sign of life.
};

/// What a waiter keeps to itself.
struct alignas(platform::kLinePair) Waiter {
  std::atomic<std::uint64_t> taken = 0;     ///< The calls that it has seen.
  std::atomic<std::uint64_t> wake_ups = 0;  ///< How often it had to wait for one.
  std::uint64_t closed = 0;                 ///< How often it has seen the notifier leave,
  std::uint64_t left = 0;                   ///< and how often it has left itself.
  std::atomic<std::uint64_t> pauses = 0;
};

/// A notifier and its waiter.
template <NotifyMechanism M>
struct Pair {
  M::Cell cell;
  Notifier notifier;
  Waiter waiter;

  explicit Pair(std::span<std::byte> buffer) { notifier.buffer = buffer; }
};

/// Sleeps so long, or until the cell is stopped.
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

/// One call.
template <NotifyMechanism M>
[[gnu::always_inline]] inline void call(typename M::Cell& cell) {
  M::tell(cell, [&told = cell.told] {
    told.calls.store(told.calls.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  });
}

/// The notifier's loop: calls so often, and pauses after each call.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform_calls(Pair<M>& pair, std::chrono::nanoseconds time,
                                                                        std::uint64_t count) {
  for (std::uint64_t done = 0; done < count; ++done) {
    fill(pair.notifier.buffer, done);
    call<M>(pair.cell);
    pause(pair.cell.told, pair.notifier.pauses, time);
  }
}

/// The same, each call timed; without the pauses. Of several calls before the waiter comes the first has woken it, and
/// a wake-up is as long as from there: so it alone tells when it began. Whether all were taken is looked up before the
/// clock is read, since that costs a cache miss.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void time_calls(Pair<M>& pair, std::span<engine::Timing> timings) {
  for (engine::Timing& timing : timings) {
    Told& told = pair.cell.told;
    const std::uint64_t made = told.calls.load(std::memory_order_relaxed);
    fill(pair.notifier.buffer, made);
    const bool is_first = pair.waiter.taken.load(std::memory_order_acquire) == made;
    timing.from_ns = platform::now_ns();
    if (is_first) {
      told.first.store(made + 1, std::memory_order_relaxed);
      told.first_ns.store(timing.from_ns, std::memory_order_relaxed);
    }
    call<M>(pair.cell);
    timing.to_ns = platform::now_ns();
  }
}

/// Waits until called and takes all calls that came. Gives when the first began and when the waiter's first
/// instruction came: empty where it did not have to wait, or nobody timed the call. Nothing where the notifier has
/// left, after all that it called before was taken, or the cell was stopped.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::optional<engine::Timing> await_call(Pair<M>& pair) {
  const Told& told = pair.cell.told;
  Waiter& waiter = pair.waiter;
  const std::uint64_t taken = waiter.taken.load(std::memory_order_relaxed);
  const auto has_news = [&] {
    return told.calls.load(std::memory_order_acquire) != taken ||
           told.closed.load(std::memory_order_acquire) != waiter.closed || told.stopped.load(std::memory_order_acquire);
  };
  while (waiter.closed == waiter.left && !told.stopped.load(std::memory_order_acquire)) {
    const bool has_to_wait = !has_news();
    M::await(pair.cell, has_news);
    const std::uint64_t now = platform::now_ns();
    waiter.closed = told.closed.load(std::memory_order_acquire);  // first: what was called before it is then seen
    const std::uint64_t calls = told.calls.load(std::memory_order_acquire);
    if (calls == taken) continue;
    const std::uint64_t first_ns = told.first_ns.load(std::memory_order_relaxed);
    const bool is_timed = told.first.load(std::memory_order_relaxed) == taken + 1 && first_ns <= now;
    waiter.taken.store(calls, std::memory_order_release);  // from here on the notifier tells of another call
    if (!has_to_wait) return engine::Timing{};
    waiter.wake_ups.fetch_add(1, std::memory_order_relaxed);
    return is_timed ? engine::Timing{.from_ns = first_ns, .to_ns = now} : engine::Timing{};
  }
  return std::nullopt;
}

/// How long a notifier pauses while it warms up: not at all. But where there are more of them than CPUs, the shortest
/// sleep: they would keep each other from beginning for a time slice each. To yield instead would cost them more than
/// that when measuring begins (crew/member.cpp).
inline std::chrono::nanoseconds warm_up_pause(std::size_t pairs) {
  return std::chrono::nanoseconds(pairs > std::thread::hardware_concurrency() ? 1 : 0);
}

/// The pairs of a trial, so many on each line, and the loops of their two roles.
template <NotifyMechanism M>
class NotifyLoops final : public engine::Loops {
 public:
  explicit NotifyLoops(const engine::Setup& setup)
      : pairs_(setup.threads / 2),
        pause_(std::chrono::microseconds(setup.params.number("pause"))),
        waiter_pause_(std::chrono::microseconds(setup.params.number("waiter-pause"))),
        cells_(setup.lines * pairs_, platform::Sharing::threads, buffer_of(setup), [&](void* place, std::byte* room) {
          const std::span buffer(room, buffer_of(setup));
          fill(buffer, 0);
          new (place) Pair<M>(buffer);
        }) {}

  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    Pair<M>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      perform_calls(pair, notifier_pause_, count);
      return count;
    }
    for (std::uint64_t done = 0; done < count; ++done) {
      if (!await_call(pair)) return done;
      pause(pair.cell.told, pair.waiter.pauses, waiter_pause_);
    }
    return count;
  }

  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<engine::Timing> timings) override {
    Pair<M>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      time_calls(pair, timings);
      return timings.size();
    }
    for (std::size_t done = 0; done < timings.size(); ++done) {
      const std::optional<engine::Timing> wake = await_call(pair);
      if (!wake) return done;
      timings[done] = *wake;
    }
    return timings.size();
  }

  bool between(std::size_t thread, std::size_t line) override {
    Pair<M>& pair = pair_of(thread, line);
    const std::chrono::nanoseconds time = is_notifier(thread) ? notifier_pause_ : waiter_pause_;
    pause(pair.cell.told, is_notifier(thread) ? pair.notifier.pauses : pair.waiter.pauses, time);
    return time.count() > 0;
  }

  /// The waiter leaves when its notifier has left, so that it has seen every call.
  void leave(std::size_t thread, std::size_t line) override {
    Pair<M>& pair = pair_of(thread, line);
    if (is_notifier(thread)) {
      M::tell(pair.cell, [&told = pair.cell.told] { told.closed.fetch_add(1, std::memory_order_release); });
      return;
    }
    while (await_call(pair)) {
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
      typename M::Cell& cell = pair_of(thread, line).cell;
      M::tell(cell, [&told = cell.told] { told.stopped.store(true, std::memory_order_release); });
    }
  }

  std::uint64_t progress(std::size_t line) override {
    std::uint64_t sum = 0;
    for (std::size_t thread = 0; thread < 2 * pairs_; thread += 2) {
      const Pair<M>& pair = pair_of(thread, line);
      for (const auto* count : {&pair.cell.told.calls, &pair.waiter.taken, &pair.notifier.pauses, &pair.waiter.pauses})
        sum += count->load(std::memory_order_relaxed);
    }
    return sum;
  }

  /// A waiter that the bound kept from following its notifier to the end has not seen all calls.
  contract::Counts counts(std::uint64_t made) override {
    contract::Held calls{.made = made};
    contract::Held wake_ups{.made = made, .exact = false};
    for (std::size_t index = 0; index < cells_.size(); ++index) {
      const Pair<M>& pair = cells_[index];
      if (pair.cell.told.stopped || pair.waiter.left != pair.cell.told.closed) return {};
      calls.found += pair.waiter.taken;
      wake_ups.found += pair.waiter.wake_ups;
    }
    return {{"calls", calls}, {"wake-ups", wake_ups}};
  }

  [[nodiscard]] const std::byte* memory() const override { return cells_.memory(); }

 private:
  static std::size_t buffer_of(const engine::Setup& setup) {
    return static_cast<std::size_t>(setup.params.number("buffer"));
  }
  static bool is_notifier(std::size_t thread) { return thread % 2 == 0; }
  Pair<M>& pair_of(std::size_t thread, std::size_t line) { return cells_[line * pairs_ + thread / 2]; }

  const std::size_t pairs_;
  const std::chrono::nanoseconds pause_;
  const std::chrono::nanoseconds waiter_pause_;
  std::chrono::nanoseconds notifier_pause_ = warm_up_pause(pairs_);
  platform::Lines<Pair<M>> cells_;
};

}  // namespace threadping::notify

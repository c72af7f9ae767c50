#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <thread>

#include "engine/experiment.hpp"
#include "notify/mechanism.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::notify {

/// A notifier and its waiter: what they share, and on a line of each what it alone writes.
template <NotifyMechanism M>
struct Pair {
  M::Cell cell;
  alignas(platform::kLinePair) std::span<std::byte> buffer;           ///< Which the notifier fills before each call.
  std::atomic<std::uint64_t> notifier_pauses = 0;                     ///< Stretches of them, as a sign of life.
  alignas(platform::kLinePair) std::atomic<std::uint64_t> taken = 0;  ///< The calls that the waiter has seen.
  std::atomic<std::uint64_t> waiter_pauses = 0;

  explicit Pair(std::span<std::byte> room) : buffer(room) {}
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

template <NotifyMechanism M>
[[gnu::always_inline]] inline void call(typename M::Cell& cell) {
  M::tell(cell, [&told = cell.told] {
    told.calls.store(told.calls.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  });
}

/// The notifier's loop: pauses before each call, since the call of a thread that comes back is what is asked about.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform_calls(Pair<M>& pair, std::chrono::nanoseconds time,
                                                                        std::uint64_t count) {
  for (std::uint64_t done = 0; done < count; ++done) {
    pause(pair.cell.told, pair.notifier_pauses, time);
    fill(pair.buffer, done);
    call<M>(pair.cell);
  }
}

/// One call, timed, without the pause. Of several calls before the waiter comes the first has woken it, and a wake-up
/// is as long as from there: so it alone tells when it began. Whether all were taken is looked up before the clock is
/// read, since that costs a cache miss.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] engine::Timing time_call(Pair<M>& pair) {
  Told& told = pair.cell.told;
  const std::uint64_t made = told.calls.load(std::memory_order_relaxed);
  fill(pair.buffer, made);
  const bool is_first = pair.taken.load(std::memory_order_acquire) == made;
  engine::Timing timing{.from_ns = platform::now_ns(), .to_ns = 0};
  if (is_first) {
    told.first.store(made + 1, std::memory_order_relaxed);
    told.first_ns.store(timing.from_ns, std::memory_order_relaxed);
  }
  call<M>(pair.cell);
  timing.to_ns = platform::now_ns();
  return timing;
}

template <NotifyMechanism M>
class Notifier final : public engine::Player {
 public:
  /// Pairs begin apart, as threads do that are started one after the other.
  Notifier(Pair<M>& pair, std::chrono::nanoseconds time, std::uint64_t seed) : pair_(pair), time_(time) {
    std::mt19937_64 random(seed);
    first_pause_ = std::chrono::nanoseconds(std::uniform_int_distribution<std::int64_t>(0, time.count())(random));
  }

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    pause(pair_.cell.told, pair_.notifier_pauses, std::exchange(first_pause_, std::chrono::nanoseconds(0)));
    if (task.every == 0) return perform_calls(pair_, time_, task.count), task.count;
    for (std::uint64_t done = 0; done < task.count; done += task.every) {
      perform_calls(pair_, time_, task.every / 2);
      pause(pair_.cell.told, pair_.notifier_pauses, time_);
      samples.about_to_time();
      const engine::Timing timing = time_call(pair_);
      samples.add(timing.from_ns, timing.to_ns);
      perform_calls(pair_, time_, task.every - 1 - task.every / 2);
    }
    samples.read_clock(2 * task.count / task.every);
    return task.count;
  }

  std::uint64_t leave(std::uint32_t /*line*/, engine::Samples& /*samples*/) override {
    M::tell(pair_.cell, [&told = pair_.cell.told] { told.closed.store(1, std::memory_order_release); });
    return 0;
  }

 private:
  Pair<M>& pair_;
  const std::chrono::nanoseconds time_;
  std::chrono::nanoseconds first_pause_;
};

/// Waits until called and takes all calls that came; gives how many, or 0 where the notifier has left, after all that
/// it called before was taken, or the cell was stopped. Times the wake-up if the first of them told when it began: from
/// there to the waiter's first instruction. Where it did not have to wait that tells nothing. Whoever has seen that the
/// notifier left waits no more: what was to wake it may have been consumed with the last call.
template <NotifyMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t await_call(Pair<M>& pair, engine::Samples& samples) {
  const Told& told = pair.cell.told;
  const std::uint64_t taken = pair.taken.load(std::memory_order_relaxed);
  const auto has_news = [&] {
    return told.calls.load(std::memory_order_acquire) != taken || told.closed.load(std::memory_order_acquire) != 0 ||
           told.stopped.load(std::memory_order_acquire);
  };
  while (!told.stopped.load(std::memory_order_acquire)) {
    const bool closed = told.closed.load(std::memory_order_acquire) != 0;  // first: what was called before is then seen
    const bool has_to_wait = !has_news();
    if (!closed) M::await(pair.cell, has_news);
    const bool is_timed = has_to_wait && told.first.load(std::memory_order_relaxed) == taken + 1;
    const std::uint64_t now = is_timed ? platform::now_ns() : 0;
    const std::uint64_t calls = told.calls.load(std::memory_order_acquire);
    if (calls == taken && closed) return 0;
    if (calls == taken) continue;
    if (is_timed) samples.add(told.first_ns.load(std::memory_order_relaxed), now);
    samples.read_clock(is_timed ? 1 : 0);
    samples.tally(0, calls - taken, has_to_wait ? 1 : 0);
    pair.taken.store(calls, std::memory_order_release);  // from here on the notifier tells of another call
    return calls - taken;
  }
  return 0;
}

template <NotifyMechanism M>
class Waiter final : public engine::Player {
 public:
  Waiter(Pair<M>& pair, std::chrono::nanoseconds time) : pair_(pair), time_(time) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    std::uint64_t done = 0;
    while (done < task.count) {
      pause(pair_.cell.told, pair_.waiter_pauses, time_);
      samples.about_to_time();
      const std::uint64_t calls = await_call(pair_, samples);
      if (calls == 0) break;
      done += calls;
    }
    return done;
  }

  /// All that was called.
  std::uint64_t leave(std::uint32_t line, engine::Samples& samples) override {
    return run({.line = line, .count = UINT64_MAX}, samples);
  }

 private:
  Pair<M>& pair_;
  const std::chrono::nanoseconds time_;
};

/// The pairs of a trial.
template <NotifyMechanism M>
class NotifyStage final : public engine::Stage {
 public:
  explicit NotifyStage(const engine::Setup& setup)
      : pause_(std::chrono::microseconds(setup.params.number("pause"))),
        waiter_pause_(std::chrono::microseconds(setup.params.number("waiter-pause"))),
        seed_(setup.seed),
        pairs_(setup.threads / 2, platform::Sharing::threads, buffer_of(setup), [&](void* place, std::byte* room) {
          const std::span buffer(room, buffer_of(setup));
          fill(buffer, 0);
          new (place) Pair<M>(buffer);
        }) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    Pair<M>& pair = pairs_[thread / 2];
    if (role_of(thread) == 0) return std::make_unique<Notifier<M>>(pair, pause_, seed_ + thread);
    return std::make_unique<Waiter<M>>(pair, waiter_pause_);
  }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread % 2; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override { return one / 2 == other / 2; }

  void stop(std::size_t /*line*/) override {
    for (std::size_t index = 0; index < pairs_.size(); ++index)
      M::tell(pairs_[index].cell,
              [&told = pairs_[index].cell.told] { told.stopped.store(true, std::memory_order_release); });
  }

  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override {
    std::uint64_t sum = 0;
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
      const Pair<M>& pair = pairs_[index];
      for (const auto* count : {&pair.cell.told.calls, &pair.taken, &pair.notifier_pauses, &pair.waiter_pauses})
        sum += count->load(std::memory_order_relaxed);
    }
    return sum;
  }

  /// A waiter that the bound kept from following its notifier to the end has not seen all calls.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    contract::Held calls;
    for (std::size_t thread = 0; thread < ops.size(); ++thread) {
      if (pairs_[thread / 2].cell.told.stopped) return {};
      (role_of(thread) == 0 ? calls.made : calls.found) += ops[thread];
    }
    return {{"calls", calls}};
  }

  [[nodiscard]] const std::byte* memory() const override { return pairs_.memory(); }

 private:
  static std::size_t buffer_of(const engine::Setup& setup) {
    return static_cast<std::size_t>(setup.params.number("buffer"));
  }

  const std::chrono::nanoseconds pause_;
  const std::chrono::nanoseconds waiter_pause_;
  const std::uint64_t seed_;
  const platform::Lines<Pair<M>> pairs_;
};

}  // namespace threadping::notify

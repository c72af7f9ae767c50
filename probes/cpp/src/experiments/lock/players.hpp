#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "engine/experiment.hpp"
#include "mechanisms/lock.hpp"
#include "mechanisms/locks/cells.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::lock {

/// How long a thread works in each operation, in steps.
struct Work {
  std::uint64_t critical = 0;  ///< Before the increment, inside the lock.
  std::uint64_t outside = 0;   ///< After it, outside.
};

/// Performs `count` operations. This is the timed loop: one function for each mechanism, never inlined, so that it can
/// be found in the disassembly, and aligned, so that code before it does not change its speed. Works is false where
/// there is no work, which then costs nothing.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform(Cell& cell, typename Cell::Own own, Work work,
                                                                  std::uint64_t count) {
  locks::Handoffs none{.mark = 0};
  platform::Steps steps;  // NOLINT(misc-const-correctness): without work nothing is taken
  for (; count > 0; --count) {
    cell.template perform<false>(own, none, [&] {
      if constexpr (Works) steps.take(work.critical);
    });
    if constexpr (Works) steps.take(work.outside);
  }
}

/// perform() of sampling windows, which also counts how often the lock or the line came from another thread.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] locks::Handoffs perform_counted(Cell& cell, typename Cell::Own own,
                                                                                     locks::Handoffs hands, Work work,
                                                                                     std::uint64_t count) {
  platform::Steps steps;  // NOLINT(misc-const-correctness): without work nothing is taken
  for (; count > 0; --count) {
    cell.template perform<true>(own, hands, [&] {
      if constexpr (Works) steps.take(work.critical);
    });
    if constexpr (Works) steps.take(work.outside);
  }
  return hands;
}

/// Performs one operation, which it times.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] engine::Timing perform_timed(Cell& cell, typename Cell::Own own,
                                                                                  locks::Handoffs& hands, Work work) {
  platform::Steps steps;  // NOLINT(misc-const-correctness): without work nothing is taken
  const engine::Timing timing = cell.perform_timed(own, hands, [&] {
    if constexpr (Works) steps.take(work.critical);
  });
  if constexpr (Works) steps.take(work.outside);
  return timing;
}

/// A chunk in groups of `task.every` operations. The middle one of each group is timed: as ordinary an operation as a
/// clock allows. `perform(count)` performs others, `perform_timed()` gives the timing of one.
template <class Perform, class PerformTimed>
std::uint64_t perform_groups(const engine::Task& task, engine::Samples& samples, Perform perform,
                             PerformTimed perform_timed) {
  const std::uint64_t before = task.every / 2;
  const std::uint64_t after = task.every - 1 - before;
  std::uint64_t done = 0;
  for (; done < task.count; done += task.every) {
    perform(before);
    const engine::Timing timing = perform_timed();
    samples.add(timing.from_ns, timing.to_ns);
    perform(after);
  }
  samples.read_clock(2 * done / task.every);
  return done;
}

/// A contender's increments, on every line.
template <class Cell>
class Incrementer final : public engine::Player {
 public:
  Incrementer(std::size_t thread, Work work, const platform::Lines<Cell>& lines)
      : thread_(thread), work_(work), lines_(lines), hands_(Cell::hands(thread)) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    return work_.critical + work_.outside > 0 ? run_as<true>(task, samples) : run_as<false>(task, samples);
  }

 private:
  template <bool kWorks>
  std::uint64_t run_as(const engine::Task& task, engine::Samples& samples) {
    Cell& cell = lines_[task.line];
    const auto own = cell.own(thread_);
    if (task.every == 0) {
      perform<Cell, kWorks>(cell, own, work_, task.count);
      return task.count;
    }
    const std::uint64_t done = perform_groups(
        task, samples,
        [&](std::uint64_t count) { hands_ = perform_counted<Cell, kWorks>(cell, own, hands_, work_, count); },
        [&] { return perform_timed<Cell, kWorks>(cell, own, hands_, work_); });
    if constexpr (Cell::kCountsHands) samples.tally(0, done, std::exchange(hands_.changes, 0));
    return done;
  }

  const std::size_t thread_;
  const Work work_;
  const platform::Lines<Cell>& lines_;
  locks::Handoffs hands_;
};

/// The cells of a mechanism, Guarded or Unguarded, and the contenders' increments.
template <class Cell>
class LockStage final : public engine::Stage {
 public:
  explicit LockStage(const engine::Setup& setup)
      : work_{.critical = static_cast<std::uint64_t>(setup.params.number("critical")),
              .outside = static_cast<std::uint64_t>(setup.params.number("outside"))},
        lines_(setup.lines, platform::Sharing::threads, setup.threads * Cell::kSeatBytes,
               [&](void* place, std::byte* seats) {
                 new (place) Cell({.first = seats, .count = setup.threads, .stride = stride_of(setup.params)});
               }) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<Incrementer<Cell>>(thread, work_, lines_);
  }
  [[nodiscard]] std::size_t role_of(std::size_t /*thread*/) const override { return 0; }

  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    contract::Held held{.made = std::reduce(ops.begin(), ops.end()), .exact = Cell::kExact};
    for (std::size_t line = 0; line < lines_.size(); ++line) held.found += lines_[line].sum();
    return contract::single_count("increments", held);
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  static std::size_t stride_of(const engine::Params& params) {
    return params.has("stride") ? static_cast<std::size_t>(params.number("stride")) : 0;
  }

  const Work work_;
  const platform::Lines<Cell> lines_;
};

}  // namespace threadping::lock

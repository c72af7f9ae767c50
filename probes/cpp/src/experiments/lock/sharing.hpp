#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/request.hpp"
#include "engine/experiment.hpp"
#include "experiments/lock/players.hpp"
#include "experiments/lock/turns.hpp"
#include "failure.hpp"
#include "mechanisms/locks/pair.hpp"

namespace threadping::lock {

/// What a thread did: how many of its operations wrote, and how many of its reads saw a writer at work.
struct Done {
  std::uint64_t writes = 0;
  std::uint64_t torn = 0;
};

/// On a line of its own: its thread writes it between two chunks.
struct alignas(platform::kLinePair) OwnDone {
  Done done;
};

/// What all wrote is found in the words, whose sum is `sum`, and no read may have seen two that differ.
[[gnu::noinline]] inline contract::Counts sharing_counts(std::span<const std::uint64_t> ops,
                                                         std::span<const OwnDone> done, std::uint64_t sum) {
  Done all;
  for (const OwnDone& one : done) {
    all.writes += one.done.writes;
    all.torn += one.done.torn;
  }
  const contract::Held increments{.made = all.writes, .found = sum, .exact = true};
  const std::uint64_t reads = std::reduce(ops.begin(), ops.end()) - all.writes;
  return {{"increments", increments}, {"whole reads", {.made = reads, .found = reads - all.torn, .exact = true}}};
}

/// Performs `count` operations from operation `number` on; `turns` says which of them write. This is the timed loop
/// of readers and writers: as `perform` of those that only write, one function for each mechanism, never inlined.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Done share(Cell& cell, typename Cell::Own own, const Turns& turns,
                                                                std::uint64_t number, Work work, std::uint64_t count) {
  Done done;
  platform::Steps steps;  // NOLINT(misc-const-correctness): without work nothing is taken
  const auto critical = [&] {
    if constexpr (Works) steps.take(work.critical);
  };
  for (const std::uint64_t end = number + count; number != end; ++number) {
    if (turns.writes(number)) {
      cell.write(own, critical);
      ++done.writes;
    } else {
      done.torn += cell.read(own, critical) ? 1 : 0;
    }
    if constexpr (Works) steps.take(work.outside);
  }
  return done;
}

/// Performs one operation, which it times.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] engine::Timing share_timed(Cell& cell, typename Cell::Own own,
                                                                                bool writes, Work work, Done& done) {
  engine::Timing wait{};
  platform::Steps steps;  // NOLINT(misc-const-correctness): without work nothing is taken
  const auto critical = [&] {
    if constexpr (Works) steps.take(work.critical);
  };
  if (writes) {
    cell.write_timed(own, critical, wait);
    ++done.writes;
  } else {
    done.torn += cell.read_timed(own, critical, wait) ? 1 : 0;
  }
  if constexpr (Works) steps.take(work.outside);
  return wait;
}

/// What a request says of who writes. Every thread and every operation does unless it says otherwise.
struct Writing {
  std::size_t writers;   ///< The number of threads that write, the first ones; all others only read.
  std::int64_t percent;  ///< Percent of a writer's operations that write.
  std::uint64_t seed;

  /// Whether anybody reads.
  [[nodiscard]] static bool is_shared(const engine::Params& params) {
    return std::cmp_not_equal(params.number("writers"), contract::kMostThreads) || params.number("writes") != kAll;
  }

  /// Throws Failure(bad_request) where there are more writers than threads.
  explicit Writing(const engine::Setup& setup)
      : writers(static_cast<std::size_t>(setup.params.number("writers"))),
        percent(setup.params.number("writes")),
        seed(setup.seed) {
    if (writers > setup.threads && writers != contract::kMostThreads)
      throw Failure(ErrorCode::bad_request, "Of " + std::to_string(setup.threads) + " threads " +
                                                std::to_string(writers) +
                                                " cannot write: ask for more threads, or for fewer writers.");
  }

  [[nodiscard]] std::int64_t percent_of(std::size_t thread) const { return thread < writers ? percent : 0; }

  static constexpr std::int64_t kAll = 100;
};

/// Roles behind the contender's: who only reads, who only writes, and who does either. The numbers are the waits of
/// both kinds, which `acquire` has together.
enum class Sharer : std::uint8_t { reader = 1, writer = 2, either = 3 };
enum class Waited : std::uint8_t { to_read = 0, to_write = 1 };
inline constexpr std::array<engine::NumberInfo, 2> kWaits{
    {{.name = "wait-to-read", .unit = "ns"}, {.name = "wait-to-write", .unit = "ns"}}};

/// A thread's operations, on every line.
template <class Cell>
class SharingPlayer final : public engine::Player {
 public:
  SharingPlayer(std::size_t thread, const Writing& writing, Work work, const platform::Lines<Cell>& lines, Done& done)
      : thread_(thread),
        turns_(writing.percent_of(thread), writing.seed + thread),
        work_(work),
        lines_(lines),
        done_(done) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    return work_.critical + work_.outside > 0 ? run_as<true>(task, samples) : run_as<false>(task, samples);
  }

 private:
  template <bool kWorks>
  std::uint64_t run_as(const engine::Task& task, engine::Samples& samples) {
    Cell& cell = lines_[task.line];
    const auto own = cell.own(thread_);
    if (task.every == 0) {
      perform<kWorks>(cell, own, task.count);
      return task.count;
    }
    return perform_groups(
        task, samples, [&](std::uint64_t count) { perform<kWorks>(cell, own, count); },
        [&] {
          const bool writes = turns_.writes(number_++);
          const engine::Timing wait = share_timed<Cell, kWorks>(cell, own, writes, work_, done_);
          samples.number(static_cast<std::size_t>(writes ? Waited::to_write : Waited::to_read), wait.ns());
          return wait;
        });
  }

  template <bool kWorks>
  void perform(Cell& cell, Cell::Own own, std::uint64_t count) {
    const auto [writes, torn] = share<Cell, kWorks>(cell, own, turns_, number_, work_, count);
    number_ += count;
    done_.writes += writes;
    done_.torn += torn;
  }

  const std::size_t thread_;
  const Turns turns_;
  const Work work_;
  const platform::Lines<Cell>& lines_;
  Done& done_;
  std::uint64_t number_ = 0;
};

/// The cells of a mechanism, and the threads that read and write there.
template <class Cell>
class SharingStage final : public engine::Stage {
 public:
  explicit SharingStage(const engine::Setup& setup)
      : writing_(setup),
        work_{.critical = static_cast<std::uint64_t>(setup.params.number("critical")),
              .outside = static_cast<std::uint64_t>(setup.params.number("outside"))},
        lines_(setup.lines, platform::Sharing::threads, setup.threads * Cell::kSeatBytes,
               [&](void* place, std::byte* seats) { new (place) Cell({.first = seats, .count = setup.threads}); }),
        done_(setup.threads) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<SharingPlayer<Cell>>(thread, writing_, work_, lines_, done_[thread].done);
  }

  [[nodiscard]] std::size_t role_of(std::size_t thread) const override {
    const std::int64_t percent = writing_.percent_of(thread);
    if (percent == 0) return static_cast<std::size_t>(Sharer::reader);
    return static_cast<std::size_t>(percent == Writing::kAll ? Sharer::writer : Sharer::either);
  }

  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    std::uint64_t sum = 0;
    for (std::size_t line = 0; line < lines_.size(); ++line) sum += lines_[line].sum();
    return sharing_counts(ops, done_, sum);
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  const Writing writing_;
  const Work work_;
  const platform::Lines<Cell> lines_;
  std::vector<OwnDone> done_;
};

}  // namespace threadping::lock

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment.hpp"
#include "failure.hpp"
#include "mechanisms/pair.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::signal {

using signals::Side;

inline constexpr std::size_t kPing = 0;
inline constexpr std::size_t kPong = 1;

/// How far a loop came: the turns it completed, and the handoffs that its last try saw. Fewer turns than asked for
/// mean that the cell was stopped (`seen` is at least signals::kStopped) or that its sequence is broken.
struct Turns {
  std::uint64_t done;
  std::uint64_t seen;
};

/// One turn; gives the handoffs that its wait saw.
template <Side S, signals::Pair P>
[[gnu::always_inline]] inline std::uint64_t turn(const P& pair, typename P::Cell& cell, std::uint64_t expected) {
  const signals::Awaited awaited = pair.template await<S>(cell, expected);
  if (!awaited.due) return awaited.seen;
  pair.template publish<S>(cell, expected);
  return expected;
}

/// Takes `count` turns of one side, from handoff `first` on. The pair comes by value: read through a reference,
/// its parameters would be loaded again after every atomic access.
///
/// This is the timed loop of every block, of every lead-in and of all that pong does: one function for each pair and
/// side, never inlined, so that it can be found in the disassembly and is the same code wherever it is called, and
/// aligned, so that code before it does not change its speed.
template <signals::Pair P, Side S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Turns take_turns(P pair, typename P::Cell& cell,
                                                                      std::uint64_t first, std::uint64_t count) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < count; ++done, expected += 2) {
    const std::uint64_t seen = turn<S>(pair, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
  }
  return {.done = count, .seen = expected};
}

/// Takes as many of ping's turns as there are timings and stamps the end of each. The stamps form a chain that starts
/// at the caller's reading before the first turn: no interval is hidden, and each holds one clock reading.
template <signals::Pair P>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Turns stamp_turns(P pair, typename P::Cell& cell,
                                                                       std::uint64_t first,
                                                                       std::span<engine::Timing> timings) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < timings.size(); ++done, expected += 2) {
    const std::uint64_t seen = turn<Side::ping>(pair, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
    timings[done].to_ns = platform::now_ns();
  }
  return {.done = timings.size(), .seen = expected};
}

/// Throws Failure(sequence_broken): `seen` was there where `due` was due.
[[noreturn, gnu::noinline]] inline void refuse_handoff(std::uint64_t due, std::uint64_t seen) {
  throw Failure(ErrorCode::sequence_broken, "Handoff " + std::to_string(due) + " was due, but " + std::to_string(seen) +
                                                " was there: one was lost or doubled.");
}

/// One side of a signal, on every line.
template <signals::Pair P>
class SignalPlayer final : public engine::Player {
 public:
  using Cells = platform::Lines<typename P::Cell>;

  SignalPlayer(std::size_t side, const P& pair, const Cells& cells)
      : side_(side), pair_(pair), cells_(cells), next_(cells.size(), side) {}

  /// Ping alone times: round trips, from the completion of one turn to the completion of the next.
  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    auto& cell = cells_[task.line];
    std::uint64_t& next = next_[task.line];
    if (task.every > 0) {
      const auto timings = samples.places().first(std::min<std::size_t>(task.count, samples.places().size()));
      const Turns turns = stamp_turns<P>(pair_, cell, next, timings);
      std::uint64_t from_ns = task.opened_ns;
      for (engine::Timing& timing : timings.first(turns.done)) {
        timing.from_ns = from_ns;
        from_ns = timing.to_ns;
      }
      samples.filled(turns.done);
      return completed(turns, timings.size(), next);
    }
    const Turns turns = side_ == kPing ? take_turns<P, Side::ping>(pair_, cell, next, task.count)
                                       : take_turns<P, Side::pong>(pair_, cell, next, task.count);
    return completed(turns, task.count, next);
  }

 private:
  /// Goes on after the turns that were taken. Throws Failure(sequence_broken) if there are fewer than `wanted` although
  /// the cell was not stopped.
  static std::uint64_t completed(const Turns& turns, std::uint64_t wanted, std::uint64_t& next) {
    next += 2 * turns.done;
    if (turns.done < wanted && turns.seen < signals::kStopped) refuse_handoff(next, turns.seen);
    return turns.done;
  }

  const std::size_t side_;
  const P pair_;
  const Cells& cells_;
  std::vector<std::uint64_t> next_;  ///< For each line, its next turn.
};

/// The part of a pair's stage that is the same for every pair, so that it is compiled once.
class SignalStageParts : public engine::Stage {
 public:
  /// The thread's side.
  [[nodiscard]] std::size_t role_of(std::size_t thread) const final { return thread; }

  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const final {
    contract::Held held{.made = std::reduce(ops.begin(), ops.end())};
    for (std::size_t line = 0; line < lines_; ++line) {
      const std::uint64_t seen = progress(line);
      if (seen >= signals::kStopped) return {};
      held.found += seen;
    }
    return contract::single_count("handoffs", held);
  }
  [[nodiscard]] platform::Sharing sharing() const final { return sharing_; }

 protected:
  explicit SignalStageParts(const engine::Setup& setup)
      : lines_(setup.lines), sharing_(signals::sharing_of(setup.params)) {}

 private:
  const std::size_t lines_;
  const platform::Sharing sharing_;
};

/// The cells of pair P, and both its sides.
template <signals::Pair P>
class SignalStage final : public SignalStageParts {
 public:
  explicit SignalStage(const engine::Setup& setup)
      : SignalStageParts(setup), pair_(setup.params), cells_(setup.lines, SignalStageParts::sharing()) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<SignalPlayer<P>>(thread, pair_, cells_);
  }

  void stop(std::size_t line) override { pair_.stop(cells_[line]); }
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override { return pair_.handoffs(cells_[line]); }
  [[nodiscard]] const std::byte* memory() const override { return cells_.memory(); }

 private:
  const P pair_;
  const platform::Lines<typename P::Cell> cells_;
};

}  // namespace threadping::signal

#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment.hpp"
#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

inline constexpr std::size_t kPing = 0;
inline constexpr std::size_t kPong = 1;

/// How far a loop came: the turns it completed, and the hand-overs that its last try saw. Fewer turns than asked for
/// mean that the cell was stopped (`seen` is at least kPoison) or that its sequence is broken.
struct Taken {
  std::uint64_t done;
  std::uint64_t seen;
};

/// One turn; gives the hand-overs that its wait saw.
template <Side S, SignalMechanism M>
[[gnu::always_inline]] inline std::uint64_t turn(const M& mechanism, typename M::Cell& cell, std::uint64_t expected) {
  const Awaited awaited = mechanism.template await<S>(cell, expected);
  if (!awaited.due) return awaited.seen;
  mechanism.template tell<S>(cell, expected);
  return expected;
}

/// Takes `count` turns of one side, from hand-over `first` on. The mechanism comes by value: read through a reference,
/// its parameters would be loaded again after every atomic access.
///
/// This is the timed loop of every block, of every lead-in and of all that pong does: one function for each mechanism
/// and side, never inlined, so that it can be found in the disassembly and is the same code wherever it is called, and
/// aligned, so that it is as quick whatever stands before it.
template <SignalMechanism M, Side S>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Taken take_turns(M mechanism, typename M::Cell& cell,
                                                                      std::uint64_t first, std::uint64_t count) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < count; ++done, expected += 2) {
    const std::uint64_t seen = turn<S>(mechanism, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
  }
  return {.done = count, .seen = expected};
}

/// Takes as many of ping's turns as there are timings and stamps the end of each. The stamps form a chain that starts
/// at the caller's reading before the first turn: no interval is hidden, and each holds one clock reading.
template <SignalMechanism M>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Taken stamp_turns(M mechanism, typename M::Cell& cell,
                                                                       std::uint64_t first,
                                                                       std::span<engine::Timing> timings) {
  std::uint64_t expected = first;
  for (std::uint64_t done = 0; done < timings.size(); ++done, expected += 2) {
    const std::uint64_t seen = turn<Side::ping>(mechanism, cell, expected);
    if (seen != expected) return {.done = done, .seen = seen};
    timings[done].to_ns = platform::now_ns();
  }
  return {.done = timings.size(), .seen = expected};
}

/// The cells of mechanism M, and both sides' turns on them.
template <SignalMechanism M>
class SignalLoops final : public engine::Loops {
 public:
  using Cell = M::Cell;

  explicit SignalLoops(const engine::Setup& setup)
      : sharing_(sharing_of(setup.params)),
        mechanism_(made_with(setup.params)),
        lines_(setup.lines, sharing_),
        next_{std::vector<std::uint64_t>(setup.lines, 0), std::vector<std::uint64_t>(setup.lines, 1)} {}

  std::uint64_t plain(std::size_t side, std::size_t line, std::uint64_t count) override {
    std::uint64_t& next = next_[side][line];
    const Taken taken = side == kPing ? take_turns<M, Side::ping>(mechanism_, lines_[line], next, count)
                                      : take_turns<M, Side::pong>(mechanism_, lines_[line], next, count);
    return completed(taken, count, next);
  }

  /// Round trips, which ping alone times: from the completion of one turn to the completion of the next.
  std::uint64_t timed(std::size_t /*side*/, std::size_t line, std::uint64_t opened_ns,
                      std::span<engine::Timing> timings) override {
    std::uint64_t& next = next_[kPing][line];
    const Taken taken = stamp_turns<M>(mechanism_, lines_[line], next, timings);
    for (engine::Timing& timing : timings.first(taken.done)) {
      timing.from_ns = opened_ns;
      opened_ns = timing.to_ns;
    }
    return completed(taken, timings.size(), next);
  }

  void stop(std::size_t line) override { mechanism_.stop(lines_[line]); }
  std::uint64_t progress(std::size_t line) override { return mechanism_.hand_overs(lines_[line]); }

  contract::Counts counts(std::uint64_t made) override {
    contract::Held held{.made = made};
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const std::uint64_t seen = progress(line);
      if (seen >= kPoison) return {};
      held.found += seen;
    }
    return {{"hand-overs", held}};
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }
  [[nodiscard]] platform::Sharing sharing() const override { return sharing_; }

 private:
  static M made_with(const engine::Params& params) {
    if constexpr (std::constructible_from<M, const engine::Params&>)
      return M(params);
    else
      return M();
  }

  /// Goes on after the turns that were taken. Throws Failure(sequence_broken) if there are fewer than `wanted` although
  /// the cell was not stopped.
  static std::uint64_t completed(const Taken& taken, std::uint64_t wanted, std::uint64_t& next) {
    next += 2 * taken.done;
    if (taken.done < wanted && taken.seen < kPoison)
      throw Failure(ErrorCode::sequence_broken, "Hand-over " + std::to_string(next) + " was due, but " +
                                                    std::to_string(taken.seen) +
                                                    " was there: one was lost or doubled.");
    return taken.done;
  }

  const platform::Sharing sharing_;
  const M mechanism_;
  platform::Lines<Cell> lines_;
  std::array<std::vector<std::uint64_t>, 2> next_;  ///< For each side and line, its next turn.
};

}  // namespace threadping::signal

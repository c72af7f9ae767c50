#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/experiment.hpp"
#include "lock/mechanism.hpp"
#include "platform/lines.hpp"

namespace threadping::lock {

/// How long a thread works in each operation, in steps.
struct Work {
  std::uint64_t critical = 0;  ///< Before the increment, inside the lock.
  std::uint64_t outside = 0;   ///< After it, outside.
};

/// Steps of Knuth's linear congruential generator (The Art of Computer Programming 2, 3.3.4), each of which waits for
/// the one before. The compiler may neither drop them nor move them out of the place where they stand.
inline void take_steps(std::uint64_t steps) {
  std::uint64_t value = steps;
  asm volatile("" : "+r"(value) : : "memory");
  for (; steps > 0; --steps) value = value * 6364136223846793005U + 1442695040888963407U;
  asm volatile("" : : "r"(value) : "memory");
}

/// Performs `count` operations. This is the timed loop: one function for each mechanism, never inlined, so that it can
/// be found in the disassembly, and aligned, so that it is as quick whatever stands before it. Works is false where
/// there is no work, which then costs nothing.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform(Cell& cell, typename Cell::Own own, Work work,
                                                                  std::uint64_t count) {
  for (; count > 0; --count) {
    cell.perform(own, [&] {
      if constexpr (Works) take_steps(work.critical);
    });
    if constexpr (Works) take_steps(work.outside);
  }
}

/// Performs an operation for each of `timings`, which it times.
template <class Cell, bool Works>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform_timed(Cell& cell, typename Cell::Own own, Work work,
                                                                        std::span<engine::Timing> timings) {
  for (engine::Timing& timing : timings) {
    timing = cell.perform_timed(own, [&] {
      if constexpr (Works) take_steps(work.critical);
    });
    if constexpr (Works) take_steps(work.outside);
  }
}

/// The cells of a mechanism, Guarded or Unguarded, and the workers' increments.
template <class Cell>
class LockLoops final : public engine::Loops {
 public:
  explicit LockLoops(const engine::Setup& setup)
      : work_{.critical = static_cast<std::uint64_t>(setup.params.number("critical")),
              .outside = static_cast<std::uint64_t>(setup.params.number("outside"))},
        lines_(setup.lines, platform::Sharing::threads, setup.threads * Cell::kSeatBytes,
               [&](void* place, std::byte* room) { new (place) Cell(Seats{.first = room, .count = setup.threads}); }) {}

  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    Cell& cell = lines_[line];
    works() ? perform<Cell, true>(cell, cell.own(thread), work_, count)
            : perform<Cell, false>(cell, cell.own(thread), work_, count);
    return count;
  }

  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<engine::Timing> timings) override {
    Cell& cell = lines_[line];
    works() ? perform_timed<Cell, true>(cell, cell.own(thread), work_, timings)
            : perform_timed<Cell, false>(cell, cell.own(thread), work_, timings);
    return timings.size();
  }

  contract::Counts counts(std::uint64_t made) override {
    contract::Held held{.made = made, .exact = Cell::kExact};
    for (std::size_t line = 0; line < lines_.size(); ++line) held.found += lines_[line].sum();
    return {{"increments", held}};
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  [[nodiscard]] bool works() const { return work_.critical + work_.outside > 0; }

  const Work work_;
  platform::Lines<Cell> lines_;
};

}  // namespace threadping::lock

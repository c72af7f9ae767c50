#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crew/experiment.hpp"
#include "lock/loop.hpp"
#include "lock/mechanism.hpp"
#include "platform/lines.hpp"

namespace threadping::lock {

/// The cells of a mechanism, Guarded or Unguarded, and the workers' increments.
template <class Cell>
class LockLoops final : public crew::Loops {
 public:
  explicit LockLoops(const crew::Setup& setup)
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
                      std::span<std::uint64_t> durations) override {
    Cell& cell = lines_[line];
    works() ? perform_timed<Cell, true>(cell, cell.own(thread), work_, durations)
            : perform_timed<Cell, false>(cell, cell.own(thread), work_, durations);
    return durations.size();
  }

  message::Counts counts(std::uint64_t made) override {
    message::Held held{.made = made, .exact = Cell::kExact};
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

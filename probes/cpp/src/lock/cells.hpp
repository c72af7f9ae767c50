#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lock/loop.hpp"
#include "params.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"

namespace threadping::lock {

/// The cells of one trial and the timed loops over them, whatever the mechanism. One call is a whole loop: what it
/// costs to find the mechanism is paid once a chunk.
class Cells {
 public:
  Cells() = default;
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  virtual ~Cells() = default;

  virtual void perform(std::size_t thread, std::size_t line, std::uint64_t count) = 0;
  virtual void sample(std::size_t thread, std::size_t line, std::uint64_t every, std::span<std::uint64_t> waits) = 0;

  /// What all counters hold together, when the threads have ended.
  virtual std::uint64_t found() = 0;

  /// Whether no increment may be lost.
  [[nodiscard]] virtual bool exact() const = 0;
};

/// The cells of a mechanism: Guarded or Unguarded.
template <class Cell>
class CellsOf final : public Cells {
 public:
  CellsOf(const Params& params, std::size_t count, std::size_t threads)
      : work_{.critical = static_cast<std::uint64_t>(params.number("critical")),
              .outside = static_cast<std::uint64_t>(params.number("outside"))},
        lines_(count, platform::Sharing::threads, threads) {}

  void perform(std::size_t thread, std::size_t line, std::uint64_t count) override {
    Cell& cell = lines_[line];
    works() ? lock::perform<Cell, true>(cell, cell.own(thread), work_, count)
            : lock::perform<Cell, false>(cell, cell.own(thread), work_, count);
  }
  void sample(std::size_t thread, std::size_t line, std::uint64_t every, std::span<std::uint64_t> waits) override {
    Cell& cell = lines_[line];
    works() ? lock::sample<Cell, true>(cell, cell.own(thread), work_, every, waits)
            : lock::sample<Cell, false>(cell, cell.own(thread), work_, every, waits);
  }
  std::uint64_t found() override {
    std::uint64_t sum = 0;
    for (std::size_t line = 0; line < lines_.size(); ++line) sum += lines_[line].sum();
    return sum;
  }
  [[nodiscard]] bool exact() const override { return Cell::kExact; }

 private:
  [[nodiscard]] bool works() const { return work_.critical + work_.outside > 0; }

  const Work work_;
  platform::Lines<Cell> lines_;
};

}  // namespace threadping::lock

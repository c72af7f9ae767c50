// Nothing that is timed allocates.

#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "signal/cells.hpp"
#include "signal/mechanism.hpp"
#include "signal/trial.hpp"
#include "signal/variants.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

thread_local std::optional<std::uint64_t> last_seen;  // after the last loop of this thread

/// Cells that note, for each side, what was allocated inside the timed loops and between how many pairs of them.
class Counting : public Cells {
 public:
  struct Noted {
    std::atomic<std::uint64_t> turns = 0;
    std::atomic<std::uint64_t> in_loops = 0;
    std::atomic<std::uint64_t> gaps = 0;
  };

  Counting(std::unique_ptr<Cells> cells, std::array<Noted, 2>& noted)
      : Cells(cells->sharing()), cells_(std::move(cells)), noted_(noted) {}

  Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) override {
    return note(side, [&] { return cells_->take_turns(side, line, first, count); });
  }
  Taken stamp_turns(std::size_t line, std::uint64_t first, std::span<std::uint64_t> stamps) override {
    return note(Side::ping, [&] { return cells_->stamp_turns(line, first, stamps); });
  }
  void stop(std::size_t line) override { cells_->stop(line); }
  std::uint64_t peek(std::size_t line) override { return cells_->peek(line); }
  [[nodiscard]] std::size_t size() const override { return cells_->size(); }

 private:
  template <class Loop>
  Taken note(Side side, Loop loop) {
    Noted& noted = noted_[static_cast<std::size_t>(side)];
    const std::uint64_t before = tests::allocations_of_this_thread();
    if (before != last_seen.value_or(before)) ++noted.gaps;
    const Taken taken = loop();
    last_seen = tests::allocations_of_this_thread();
    noted.in_loops += tests::allocations_of_this_thread() - before;
    noted.turns += taken.done;
    return taken;
  }

  std::unique_ptr<Cells> cells_;
  std::array<Noted, 2>& noted_;
};

class Allocations : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Allocations, testing::ValuesIn(variants(between_threads)), VariantName());

TEST_P(Allocations, OnlyWhereTheCountersAreRead) {
  const auto request = tests::quick_request(std::nullopt, std::nullopt);
  std::array<Counting::Noted, 2> noted;
  auto cells = std::make_unique<Counting>(GetParam().cells(request.lines), noted);
  const message::SignalResult result = Trial(request, std::move(cells)).run();
  ASSERT_FALSE(result.cut);
  for (const Counting::Noted& side : noted) {
    EXPECT_EQ(2 * side.turns, result.warmup_ops + result.measured_ops);
    EXPECT_EQ(side.in_loops, 0U);
    EXPECT_EQ(side.gaps, 1U);  // between warm-up and measuring
  }
}

}  // namespace
}  // namespace threadping::signal

// Nothing that is timed allocates.

#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "lock/cells.hpp"
#include "lock/trial.hpp"
#include "lock/variants.hpp"
#include "support/requests.hpp"

namespace threadping::lock {
namespace {

thread_local std::optional<std::uint64_t> last_seen;  // after the last loop of this thread

struct Noted {
  std::atomic<std::uint64_t> ops = 0;
  std::atomic<std::uint64_t> in_loops = 0;
  std::atomic<std::uint64_t> gaps = 0;
};

/// Cells that note what was allocated inside the timed loops, and between how many pairs of them.
class Counting : public Cells {
 public:
  Counting(std::unique_ptr<Cells> cells, Noted& noted) : cells_(std::move(cells)), noted_(noted) {}

  void perform(std::size_t thread, std::size_t line, std::uint64_t count) override {
    note(count, [&] { cells_->perform(thread, line, count); });
  }
  void sample(std::size_t thread, std::size_t line, std::uint64_t every, std::span<std::uint64_t> waits) override {
    note(every * waits.size(), [&] { cells_->sample(thread, line, every, waits); });
  }
  std::uint64_t found() override { return cells_->found(); }
  [[nodiscard]] bool exact() const override { return cells_->exact(); }

 private:
  template <class Loop>
  void note(std::uint64_t ops, Loop loop) {
    const std::uint64_t before = tests::allocations_of_this_thread();
    if (before != last_seen.value_or(before)) ++noted_.gaps;
    loop();
    last_seen = tests::allocations_of_this_thread();
    noted_.in_loops += *last_seen - before;
    noted_.ops += ops;
  }

  std::unique_ptr<Cells> cells_;
  Noted& noted_;
};

class LockAllocations : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, LockAllocations, testing::ValuesIn(variants()), VariantName());

TEST_P(LockAllocations, OnlyWhereTheCountersAreRead) {
  constexpr std::size_t kThreads = 2;
  const auto request = tests::lock_request(kThreads);
  Noted noted;
  const auto result =
      Trial(request, std::make_unique<Counting>(GetParam().cells(request.lines, kThreads), noted)).run();
  ASSERT_FALSE(result.cut);
  EXPECT_EQ(noted.ops, result.made);
  EXPECT_EQ(noted.in_loops, 0U);
  EXPECT_EQ(noted.gaps, kThreads);  // between warm-up and measuring, in each
}

}  // namespace
}  // namespace threadping::lock

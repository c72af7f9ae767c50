// Nothing that is timed allocates.

#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <optional>

#include "engine/trial.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "support/variants.hpp"

namespace threadping::engine {
namespace {

constexpr std::size_t kThreads = 2;

thread_local std::optional<std::uint64_t> last_seen;  // after the last loop of this thread

/// What was allocated by a thread inside its loops, and between how many pairs of them.
struct Noted {
  std::atomic<std::uint64_t> in_loops = 0;
  std::atomic<std::uint64_t> gaps = 0;
};

class Counting : public tests::Wrapped {
 public:
  Counting(std::unique_ptr<Stage> stage, std::array<Noted, kThreads>& noted)
      : Wrapped(std::move(stage)), noted_(noted) {}

  std::uint64_t run(std::size_t thread, Player& player, const Task& task, Samples& samples) override {
    return note(thread, [&] { return Wrapped::run(thread, player, task, samples); });
  }

 private:
  template <class Loop>
  std::uint64_t note(std::size_t thread, Loop loop) {
    Noted& noted = noted_[thread];
    const std::uint64_t before = tests::allocations_of_this_thread();
    if (before != last_seen.value_or(before)) ++noted.gaps;
    const std::uint64_t done = loop();
    last_seen = tests::allocations_of_this_thread();
    noted.in_loops += *last_seen - before;
    return done;
  }

  std::array<Noted, kThreads>& noted_;
};

/// A std::deque takes memory and gives it back; that is what is measured of it. Of hops there is one thread only.
bool allocates_nothing(const tests::Variant& variant) {
  return tests::worth_a_look(variant) && variant.mechanism->name != "mutex-deque" &&
         variant.experiment->most_threads >= kThreads;
}

class Allocations : public testing::TestWithParam<tests::Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, Allocations, testing::ValuesIn(tests::variants(allocates_nothing)),
                         tests::VariantName());

TEST_P(Allocations, OnlyWhereTheCountersAreRead) {
  const auto& [experiment, mechanism, given] = GetParam();
  auto request = GetParam().request(tests::unpinned(kThreads));
  request.outliers = {.factor = 1, .least_ns = 1, .most = 10};  // looking does not allocate either
  std::array<Noted, kThreads> noted;
  auto stage = std::make_unique<Counting>(GetParam().stage(request.lines, kThreads), noted);
  const contract::Result result = run(request, *experiment, *mechanism, std::move(stage));
  ASSERT_FALSE(result.cut);
  // Between warm-up and measuring; and where windows are so short that they outgrow the room for visits of 5 us.
  const std::uint64_t room = (2 * ((request.measure_ns + request.warmup.limit_ns) / 5'000)) + 1024;
  // A stream also flows on after the counters were read at the end.
  const std::uint64_t most =
      1 + (experiment->stream ? 1 : 0) + static_cast<std::uint64_t>(std::bit_width(result.windows.ns.size() / room));
  for (const Noted& thread : noted) {
    EXPECT_EQ(thread.in_loops, 0U);
    EXPECT_GE(thread.gaps, 1U);
    EXPECT_LE(thread.gaps, most);
  }
}

}  // namespace
}  // namespace threadping::engine

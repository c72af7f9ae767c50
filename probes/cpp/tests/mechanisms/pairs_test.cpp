// What is asked of pairs themselves, since the experiment takes turns whole and in order: what a turn's two parts
// promise, and what shares a line. Every pair of the experiment must be in the table at the end.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/signal/players.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/signals.hpp"
#include "mechanisms/signals/cas_one_line.hpp"
#include "mechanisms/signals/counter.hpp"
#include "support/lines.hpp"
#include "waits/waits.hpp"

namespace threadping::signals {
namespace {

using CasWord = CasOneLine<waits::Spin>;

/// The experiment's mechanism of this name, with its default parameters.
engine::Params defaults_of(std::string_view name) {
  return {name, std::ranges::find(signal::experiment().mechanisms, name, &engine::Mechanism::name)->params, {}};
}

/// A pair and a cell.
template <Pair P>
struct Alone {
  P pair;
  std::unique_ptr<typename P::Cell> cell = [] {
    if constexpr (std::constructible_from<typename P::Cell, platform::Sharing>)
      return std::make_unique<typename P::Cell>(platform::Sharing::threads);
    else
      return std::make_unique<typename P::Cell>();
  }();

  explicit Alone(std::string_view name) : pair(defaults_of(name)) {}

  [[nodiscard]] std::uint64_t hand_overs() const { return pair.hand_overs(*cell); }

  /// Takes a turn that is due, in its two parts. Only the swap of cas-one-line does both at once.
  template <Side S>
  void expect_due(std::uint64_t expected) {
    const bool tells_at_once = std::is_same_v<P, CasWord>;
    const Awaited awaited = pair.template await<S>(*cell, expected);
    ASSERT_TRUE(awaited.due);
    ASSERT_EQ(awaited.seen, expected);
    ASSERT_EQ(hand_overs(), expected + (tells_at_once ? 1 : 0));
    pair.template tell<S>(*cell, expected);
    ASSERT_EQ(hand_overs(), expected + 1);
  }
};

template <class P>
void expect_turns(std::string_view name) {
  Alone<P> alone(name);
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    alone.template expect_due<Side::ping>(expected);
    alone.template expect_due<Side::pong>(expected + 1);
  }
}

/// Pong has published twice before ping looks: what ping sees is not due.
template <class P>
void expect_no_turn_that_is_over(std::string_view name) {
  Alone<P> alone(name);
  alone.template expect_due<Side::ping>(0);
  alone.template expect_due<Side::pong>(1);
  if constexpr (std::is_same_v<P, CasWord>) {
    alone.cell->word = 4;
  } else {
    alone.pair.template tell<Side::pong>(*alone.cell, 3);
  }
  EXPECT_EQ(signal::turn<Side::ping>(alone.pair, *alone.cell, 2), 4U) << "it is over";
}

/// What each group holds stands in one line; each group stands on a pair of lines of its own.
using Groups = std::vector<tests::Places>;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

constexpr auto kOneWord = [](const auto& cell) { return Groups{{at(cell.word)}}; };
constexpr auto kOneLine = [](const auto& cell) { return Groups{{at(cell.ping.published), at(cell.pong.published)}}; };
constexpr auto kTwoLines = [](const auto& cell) {
  return Groups{{at(cell.ping.published)}, {at(cell.pong.published)}};
};
constexpr auto kBellsBeside = [](const auto& cell) {
  return Groups{{at(cell.ping.published), at(cell.ping.bell)}, {at(cell.pong.published), at(cell.pong.bell)}};
};
constexpr auto kTokensBeside = [](const auto& cell) {
  return Groups{{at(cell.ping.published), at(cell.ping.tokens)}, {at(cell.pong.published), at(cell.pong.tokens)}};
};
constexpr auto kSleepers = [](const auto& cell) {
  return Groups{{at(cell.ping.published)}, {at(cell.pong.published)}, {at(cell.ping.asleep)}, {at(cell.pong.asleep)}};
};

template <class P, auto kLayout>
void expect_layout(std::string_view name) {
  EXPECT_EQ(alignof(typename P::Cell), platform::kLinePair);
  const Alone<P> alone(name);
  std::set<std::uintptr_t> pairs;
  for (const tests::Places& group : kLayout(*alone.cell)) {
    EXPECT_EQ(tests::lines_of(group).size(), 1U);
    EXPECT_TRUE(pairs.insert(*tests::lines_of(group, platform::kLinePair).begin()).second);
  }
}

struct Questions {
  void (*turns)(std::string_view);
  void (*order)(std::string_view);
  void (*layout)(std::string_view);
};
template <Pair P, auto kLayout>
std::pair<std::string_view, Questions> about(std::string_view name) {
  return {name, {expect_turns<P>, expect_no_turn_that_is_over<P>, expect_layout<P, kLayout>}};
}
template <Signal S, auto kLayout>
std::pair<std::string_view, Questions> about_two() {
  return about<TwoSignals<S>, kLayout>(S::kName);
}
template <class Way>
using Spins = Counter<Way, waits::Spin>;

const std::map<std::string_view, Questions>& questions() {
  static const std::map<std::string_view, Questions> all{
      about<CasWord, kOneWord>("cas-one-line"),
      about<TwoSignals<Spins<Add>, OneLine>, kOneLine>("add-one-line"),
      about<TwoSignals<Spins<Seqcst>, OneLine>, kOneLine>("seqcst-one-line"),
      about<TwoSignals<Spins<Release>, OneLine>, kOneLine>("release-one-line"),
      about<TwoSignals<Spins<Relaxed>, OneLine>, kOneLine>("relaxed-one-line"),
      about<TwoSignals<Spins<Seqcst>>, kTwoLines>("seqcst-two-lines"),
      about<TwoSignals<Spins<Release>>, kTwoLines>("release-two-lines"),
      about_two<Condition, kTwoLines>(),
      about_two<ConditionReleased, kTwoLines>(),
      about_two<Futex, kBellsBeside>(),
      about_two<AtomicWait, kBellsBeside>(),
      about_two<Semaphore, kTokensBeside>(),
      about_two<SpinThenPark, kSleepers>(),
      about_two<Eventfd, kTokensBeside>(),
      about_two<Pipe, kTokensBeside>(),
      about_two<Socketpair, kTokensBeside>(),
      about_two<TcpLoopback, kTokensBeside>(),
  };
  return all;
}

TEST(EveryPair, IsInTheTable) {
  for (const engine::Mechanism& mechanism : signal::experiment().mechanisms)
    EXPECT_TRUE(questions().contains(mechanism.name)) << "say above what shares a line: " << mechanism.name;
}

TEST(EveryPair, WaitsAndTellsApart) {
  for (const auto& [name, about] : questions()) {
    SCOPED_TRACE(name);
    about.turns(name);
  }
}

TEST(EveryPair, TakesNoTurnThatIsOver) {
  for (const auto& [name, about] : questions()) {
    SCOPED_TRACE(name);
    about.order(name);
  }
}

TEST(EveryPair, SharesTheLinesThatItsNamePromises) {
  for (const auto& [name, about] : questions()) {
    SCOPED_TRACE(name);
    about.layout(name);
  }
}

/// As the published program has them.
TEST(Condition, HasOneLockForBothSides) {
  const TwoLines<Condition::Cell> cell(platform::Sharing::threads);
  EXPECT_EQ(&cell.ping.mutex, &cell.pong.mutex);
}

}  // namespace
}  // namespace threadping::signals

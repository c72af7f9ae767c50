// What is asked of pairs themselves, since the experiment takes turns whole and in order: the contract of a turn's two
// parts, and what shares a line. Every pair of the experiment must be in the table at the end.

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
#include "mechanisms/signals/xadd_one_line.hpp"
#include "support/lines.hpp"
#include "waits/waits.hpp"

namespace threadping::signals {
namespace {

using CasWord = CasOneLine<waits::Spin>;

/// The experiment's mechanism of this name, with its default parameters.
engine::Params defaults_of(std::string_view name) {
  return {name, std::ranges::find(signal::experiment().mechanisms, name, &engine::Mechanism::name)->params, {}};
}

/// What each group holds is in one line; each group is on a pair of lines of its own.
using Groups = std::vector<tests::Places>;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

constexpr auto kOneWord = [](const auto& cell) { return Groups{{at(cell.word)}}; };
constexpr auto kOneLine = [](const auto& cell) { return Groups{{at(cell.ping.published), at(cell.pong.published)}}; };
constexpr auto kTwoLines = [](const auto& cell) {
  return Groups{{at(cell.ping.published)}, {at(cell.pong.published)}};
};
constexpr auto kBellsOnTheLine = [](const auto& cell) {
  return Groups{{at(cell.ping.published), at(cell.ping.bell)}, {at(cell.pong.published), at(cell.pong.bell)}};
};
constexpr auto kTokensOnTheLine = [](const auto& cell) {
  return Groups{{at(cell.ping.published), at(cell.ping.tokens)}, {at(cell.pong.published), at(cell.pong.tokens)}};
};
constexpr auto kAsleep = [](const auto& cell) {
  return Groups{{at(cell.ping.published)}, {at(cell.pong.published)}, {at(cell.ping.asleep)}, {at(cell.pong.asleep)}};
};

/// Any pair, and a cell of it.
class AnyPair {
 public:
  AnyPair() = default;
  AnyPair(const AnyPair&) = delete;
  AnyPair& operator=(const AnyPair&) = delete;
  virtual ~AnyPair() = default;

  virtual Awaited await(Side side, std::uint64_t expected) = 0;
  virtual void publish(Side side, std::uint64_t expected) = 0;
  virtual std::uint64_t turn_of_ping(std::uint64_t expected) = 0;
  virtual void jump_to(std::uint64_t handoffs) = 0;
  [[nodiscard]] virtual std::uint64_t handoffs() const = 0;
  [[nodiscard]] virtual bool publishes_at_once() const = 0;
  [[nodiscard]] virtual Groups layout() const = 0;
  [[nodiscard]] virtual std::size_t alignment() const = 0;
};

template <Pair P, auto kLayout>
class AnyOf : public AnyPair {
 public:
  explicit AnyOf(std::string_view name) : pair_(defaults_of(name)) {}

  Awaited await(Side side, std::uint64_t expected) override {
    return side == Side::ping ? pair_.template await<Side::ping>(*cell_, expected)
                              : pair_.template await<Side::pong>(*cell_, expected);
  }
  void publish(Side side, std::uint64_t expected) override {
    if (side == Side::ping)
      pair_.template publish<Side::ping>(*cell_, expected);
    else
      pair_.template publish<Side::pong>(*cell_, expected);
  }
  std::uint64_t turn_of_ping(std::uint64_t expected) override {
    return signal::turn<Side::ping>(pair_, *cell_, expected);
  }
  /// As if pong had taken turns that it may not take yet.
  void jump_to(std::uint64_t handoffs) override {
    if constexpr (std::is_same_v<P, CasWord>)
      cell_->word = handoffs;
    else
      pair_.template publish<Side::pong>(*cell_, handoffs - 1);
  }
  [[nodiscard]] std::uint64_t handoffs() const override { return pair_.handoffs(*cell_); }
  /// Only the swap of cas-one-line ends a wait and publishes.
  [[nodiscard]] bool publishes_at_once() const override { return std::is_same_v<P, CasWord>; }
  [[nodiscard]] Groups layout() const override { return kLayout(*cell_); }
  [[nodiscard]] std::size_t alignment() const override { return alignof(typename P::Cell); }

 private:
  const P pair_;
  const std::unique_ptr<typename P::Cell> cell_ = [] {
    if constexpr (std::constructible_from<typename P::Cell, platform::Sharing>)
      return std::make_unique<typename P::Cell>(platform::Sharing::threads);
    else
      return std::make_unique<typename P::Cell>();
  }();
};

/// Takes a turn that is due, in its two parts.
void expect_due(AnyPair& pair, Side side, std::uint64_t expected) {
  const Awaited awaited = pair.await(side, expected);
  ASSERT_TRUE(awaited.due);
  ASSERT_EQ(awaited.seen, expected);
  ASSERT_EQ(pair.handoffs(), expected + (pair.publishes_at_once() ? 1 : 0));
  pair.publish(side, expected);
  ASSERT_EQ(pair.handoffs(), expected + 1);
}

using Make = std::unique_ptr<AnyPair> (*)(std::string_view name);
template <Pair P, auto kLayout>
std::pair<std::string_view, Make> about(std::string_view name) {
  return {name,
          [](std::string_view of) -> std::unique_ptr<AnyPair> { return std::make_unique<AnyOf<P, kLayout>>(of); }};
}
template <Signal S, auto kLayout>
std::pair<std::string_view, Make> about_two() {
  return about<TwoSignals<S>, kLayout>(S::kName);
}
template <class Way>
using Spins = Counter<Way, waits::Spin>;

const std::map<std::string_view, Make>& every_pair() {
  static const std::map<std::string_view, Make> all{
      about<CasWord, kOneWord>("cas-one-line"),
      about<TwoSignals<Spins<Add>, OneLine>, kOneLine>("add-one-line"),
      about<XaddOneLine<waits::Spin>, kOneLine>("xadd-one-line"),
      about<TwoSignals<Spins<Seqcst>, OneLine>, kOneLine>("seqcst-one-line"),
      about<TwoSignals<Spins<Release>, OneLine>, kOneLine>("release-one-line"),
      about<TwoSignals<Spins<Relaxed>, OneLine>, kOneLine>("relaxed-one-line"),
      about<TwoSignals<Spins<Seqcst>>, kTwoLines>("seqcst-two-lines"),
      about<TwoSignals<Spins<Release>>, kTwoLines>("release-two-lines"),
      about_two<Condition, kTwoLines>(),
      about_two<ConditionReleased, kTwoLines>(),
      about_two<Futex, kBellsOnTheLine>(),
      about_two<AtomicWait, kBellsOnTheLine>(),
      about_two<Semaphore, kTokensOnTheLine>(),
      about_two<SpinThenPark, kAsleep>(),
      about_two<Eventfd, kTokensOnTheLine>(),
      about_two<Pipe, kTokensOnTheLine>(),
      about_two<Socketpair, kTokensOnTheLine>(),
      about_two<TcpLoopback, kTokensOnTheLine>(),
  };
  return all;
}

TEST(EveryPair, IsInTheTable) {
  for (const engine::Mechanism& mechanism : signal::experiment().mechanisms)
    EXPECT_TRUE(every_pair().contains(mechanism.name)) << "say above what shares a line: " << mechanism.name;
}

TEST(EveryPair, WaitsAndTellsApart) {
  for (const auto& [name, make] : every_pair()) {
    SCOPED_TRACE(name);
    const auto pair = make(name);
    for (std::uint64_t expected = 0; expected < 10; expected += 2) {
      expect_due(*pair, Side::ping, expected);
      expect_due(*pair, Side::pong, expected + 1);
    }
  }
}

/// Pong has published twice before ping polls: what ping sees is not due.
TEST(EveryPair, TakesNoTurnThatIsOver) {
  for (const auto& [name, make] : every_pair()) {
    SCOPED_TRACE(name);
    const auto pair = make(name);
    expect_due(*pair, Side::ping, 0);
    expect_due(*pair, Side::pong, 1);
    pair->jump_to(4);
    EXPECT_EQ(pair->turn_of_ping(2), 4U) << "it is over";
  }
}

TEST(EveryPair, SharesTheLinesThatItsNameSays) {
  for (const auto& [name, make] : every_pair()) {
    SCOPED_TRACE(name);
    const auto pair = make(name);
    EXPECT_EQ(pair->alignment(), platform::kLinePair);
    std::set<std::uintptr_t> pairs;
    for (const tests::Places& group : pair->layout()) {
      EXPECT_EQ(tests::lines_of(group).size(), 1U);
      EXPECT_TRUE(pairs.insert(*tests::lines_of(group, platform::kLinePair).begin()).second);
    }
  }
}

/// A counter that somebody else has added to is seen by its own side's next poll, and by the other side.
TEST(XaddOneLine, BreaksTheSequenceWhereSomebodyElseHasAdded) {
  using Pair = XaddOneLine<waits::Spin>;
  const Pair pair(defaults_of("xadd-one-line"));
  Pair::Cell cell(platform::Sharing::threads);
  cell.ping.published = 1;
  EXPECT_FALSE(pair.await<Side::ping>(cell, 0).due) << "ping has published already";
  Pair::publish<Side::ping>(cell, 0);
  const Awaited seen = pair.await<Side::pong>(cell, 1);
  EXPECT_FALSE(seen.due);
  EXPECT_GT(seen.seen, std::uint64_t{1} << 40);
  EXPECT_LT(seen.seen, kStopped);
}

/// As the published program has them.
TEST(Condition, HasOneLockForBothSides) {
  const TwoLines<Condition::Cell> cell(platform::Sharing::threads);
  EXPECT_EQ(&cell.ping.mutex, &cell.pong.mutex);
}

}  // namespace
}  // namespace threadping::signals

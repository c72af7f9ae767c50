// What is asked of the mechanisms themselves, since engine::Stage takes turns whole and in order: what a turn's two
// parts promise, and what shares a line. Every mechanism must be in the table at the end.

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <memory>

#include "experiments/signal/players.hpp"
#include "experiments/signal/signal.hpp"
#include "signal/mechanisms/bells.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/condition.hpp"
#include "signal/mechanisms/descriptors.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/mechanisms/semaphore.hpp"
#include "signal/mechanisms/spin_then_park.hpp"
#include "signal/mechanisms/two_counters.hpp"
#include "support/lines.hpp"

namespace threadping::signal {
namespace {

/// A mechanism with its default parameters, and a cell.
template <class M>
struct Alone {
  M mechanism = [] {
    if constexpr (std::constructible_from<M, const engine::Params&>) {
      const auto found = std::ranges::find(experiment().mechanisms, M::kName, &engine::Mechanism::name);
      return M(engine::Params(found->name, found->params, {}));
    } else {
      return M();
    }
  }();
  std::unique_ptr<typename M::Cell> cell = [] {
    if constexpr (std::constructible_from<typename M::Cell, platform::Sharing>)
      return std::make_unique<typename M::Cell>(platform::Sharing::threads);
    else
      return std::make_unique<typename M::Cell>();
  }();

  [[nodiscard]] std::uint64_t hand_overs() const { return mechanism.hand_overs(*cell); }

  /// Takes a turn that is due, in its two parts. Only the swap of cas-one-line does both at once.
  template <Side S>
  void expect_due(std::uint64_t expected) {
    const bool tells_at_once = M::kName == CasOneLine::kName;
    const Awaited awaited = mechanism.template await<S>(*cell, expected);
    ASSERT_TRUE(awaited.due);
    ASSERT_EQ(awaited.seen, expected);
    ASSERT_EQ(hand_overs(), expected + (tells_at_once ? 1 : 0));
    mechanism.template tell<S>(*cell, expected);
    ASSERT_EQ(hand_overs(), expected + 1);
  }
};

template <class M>
void expect_turns() {
  Alone<M> alone;
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    alone.template expect_due<Side::ping>(expected);
    alone.template expect_due<Side::pong>(expected + 1);
  }
  EXPECT_EQ(turn<Side::ping>(alone.mechanism, *alone.cell, 4), 10U) << "it is over";
  EXPECT_EQ(alone.hand_overs(), 10U) << "a turn that was over was taken";
  alone.template expect_due<Side::ping>(10);
  EXPECT_EQ(turn<Side::pong>(alone.mechanism, *alone.cell, 3), 11U);
}

/// What each group holds stands in one line; each group stands on a pair of its own.
using Groups = std::vector<tests::Places>;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

constexpr auto kOneWord = [](auto& alone) { return Groups{{at(alone.cell->word)}}; };
constexpr auto kOneLine = [](auto& alone) { return Groups{{at(alone.cell->ping), at(alone.cell->pong)}}; };
constexpr auto kTwoLines = [](auto& alone) { return Groups{{at(alone.cell->ping)}, {at(alone.cell->pong)}}; };
constexpr auto kBellsBesideCounters = [](auto& alone) {
  const auto& cell = *alone.cell;
  return Groups{{at(cell.ping), at(cell.ping_bell)}, {at(cell.pong), at(cell.pong_bell)}};
};
constexpr auto kSemaphores = [](auto& alone) {
  const auto& cell = *alone.cell;
  return Groups{{at(cell.ping)}, {at(cell.pong)}, {at(cell.ping_turn)}, {at(cell.pong_turn)}};
};
constexpr auto kSleepers = [](auto& alone) {
  const auto& cell = *alone.cell;
  return Groups{{at(cell.ping)}, {at(cell.pong)}, {at(cell.ping_asleep)}, {at(cell.pong_asleep)}};
};
/// One lock protects all of it, which stands side by side.
constexpr auto kNoPromise = [](auto& /*alone*/) { return Groups{}; };
/// What the watchdog reads: a side writes its own.
constexpr auto kSidesWriteApart = [](auto& alone) {
  const auto written = [&](auto take_turn) {
    const tests::Snapshot before(alone.cell.get(), sizeof *alone.cell);
    take_turn();
    return before.written();
  };
  return Groups{written([&] { alone.template expect_due<Side::ping>(0); }),
                written([&] { alone.template expect_due<Side::pong>(1); })};
};

template <class M, auto kLayout>
void expect_layout() {
  EXPECT_EQ(alignof(typename M::Cell), platform::kLinePair);
  Alone<M> alone;
  std::set<std::uintptr_t> pairs;
  for (const tests::Places& group : kLayout(alone)) {
    EXPECT_EQ(tests::lines_of(group).size(), 1U);
    EXPECT_TRUE(pairs.insert(*tests::lines_of(group, platform::kLinePair).begin()).second);
  }
}

struct Questions {
  void (*turns)();
  void (*layout)();
};
template <class M, auto kLayout>
std::pair<std::string_view, Questions> about() {
  return {M::kName, {expect_turns<M>, expect_layout<M, kLayout>}};
}
template <class Protocol>
using Spins = LockFree<Protocol, waits::Spin>;

const std::map<std::string_view, Questions>& questions() {
  static const std::map<std::string_view, Questions> all{
      about<Spins<CasOneLine>, kOneWord>(),
      about<Spins<AddOneLine>, kOneLine>(),
      about<Spins<SeqcstOneLine>, kOneLine>(),
      about<Spins<ReleaseOneLine>, kOneLine>(),
      about<Spins<RelaxedOneLine>, kOneLine>(),
      about<Spins<SeqcstTwoLines>, kTwoLines>(),
      about<Spins<ReleaseTwoLines>, kTwoLines>(),
      about<Condition, kNoPromise>(),
      about<ConditionReleased, kNoPromise>(),
      about<Park, kBellsBesideCounters>(),
      about<AtomicWait, kBellsBesideCounters>(),
      about<Semaphore, kSemaphores>(),
      about<SpinThenPark, kSleepers>(),
      about<Eventfd, kSidesWriteApart>(),
      about<Pipe, kSidesWriteApart>(),
      about<Socketpair, kSidesWriteApart>(),
      about<TcpLoopback, kSidesWriteApart>(),
  };
  return all;
}

TEST(EverySignal, IsInTheTable) {
  for (const engine::Mechanism& mechanism : experiment().mechanisms)
    EXPECT_TRUE(questions().contains(mechanism.name)) << "say above what shares a line: " << mechanism.name;
}

TEST(EverySignal, WaitsAndTellsApartAndTakesNoTurnTwice) {
  for (const auto& [name, about] : questions()) {
    SCOPED_TRACE(name);
    about.turns();
  }
}

TEST(EverySignal, SharesTheLinesThatItsNamePromises) {
  for (const auto& [name, about] : questions()) {
    SCOPED_TRACE(name);
    about.layout();
  }
}

}  // namespace
}  // namespace threadping::signal

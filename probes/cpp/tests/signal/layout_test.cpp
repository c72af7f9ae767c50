// What shares a line and what does not, as the names of the mechanisms promise. Every mechanism must say it here.

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "platform/lines.hpp"
#include "signal/every.hpp"
#include "signal/signal.hpp"
#include "support/lines.hpp"
#include "support/variants.hpp"

namespace threadping::signal {
namespace {

/// What these offsets in a cell hold stands together in one line, and each such group on a pair of lines of its own.
template <class Cell>
void expect_apart(const std::vector<std::vector<std::size_t>>& groups) {
  EXPECT_EQ(alignof(Cell), platform::kLinePair);
  std::set<std::size_t> pairs;
  for (const std::vector<std::size_t>& group : groups) {
    EXPECT_EQ(tests::lines_of(group).size(), 1U);
    EXPECT_TRUE(pairs.insert(group.front() / platform::kLinePair).second);
  }
}

template <class M>
void counters_share_a_line() {
  using Cell = M::Cell;
  expect_apart<Cell>({{offsetof(Cell, ping), offsetof(Cell, pong)}});
}

template <class M>
void counters_stand_apart() {
  using Cell = M::Cell;
  expect_apart<Cell>({{offsetof(Cell, ping)}, {offsetof(Cell, pong)}});
}

/// A side writes its counter and the bell that it rings.
template <class M>
void bells_stand_beside_counters() {
  using Cell = M::Cell;
  expect_apart<Cell>(
      {{offsetof(Cell, ping), offsetof(Cell, ping_bell)}, {offsetof(Cell, pong), offsetof(Cell, pong_bell)}});
}

/// As a program declares what one lock protects: nothing is padded.
template <class M>
void all_stands_side_by_side() {
  using Cell = M::Cell;
  EXPECT_EQ(alignof(Cell), platform::kLinePair);
  EXPECT_EQ(offsetof(Cell, ping_changed), sizeof(std::mutex));
  EXPECT_EQ(offsetof(Cell, pong_changed), offsetof(Cell, ping_changed) + sizeof(Cell::ping_changed));
  EXPECT_EQ(offsetof(Cell, ping), offsetof(Cell, pong_changed) + sizeof(Cell::pong_changed));
  EXPECT_EQ(offsetof(Cell, pong), offsetof(Cell, ping) + sizeof(Cell::ping));
}

/// What the watchdog reads is written by one side each.
template <class M>
void sides_write_apart() {
  for (const tests::Variant& variant :
       tests::variants_of(experiment(), [](const auto& one) { return one.mechanism->name == M::kName; })) {
    const auto loops = variant.loops(1, 2);
    const tests::Page page(loops->memory());
    std::set<std::size_t> pairs;
    for (const std::size_t side : {kPing, kPong}) {
      const tests::Page::Bytes before = page.bytes();
      loops->plain(side, 0, 1);
      const std::set<std::size_t> written = tests::pairs_of(page.written_since(before));
      EXPECT_EQ(written.size(), 1U);
      pairs.insert(written.begin(), written.end());
    }
    EXPECT_EQ(pairs.size(), 2U);
  }
}

const std::map<std::string_view, void (*)()> kLayouts{
    {CasOneLine::kName, [] { expect_apart<CasOneLine::Cell>({{offsetof(CasOneLine::Cell, word)}}); }},
    {AddOneLine::kName, counters_share_a_line<AddOneLine>},
    {SeqcstOneLine::kName, counters_share_a_line<SeqcstOneLine>},
    {ReleaseOneLine::kName, counters_share_a_line<ReleaseOneLine>},
    {RelaxedOneLine::kName, counters_share_a_line<RelaxedOneLine>},
    {SeqcstTwoLines::kName, counters_stand_apart<SeqcstTwoLines>},
    {ReleaseTwoLines::kName, counters_stand_apart<ReleaseTwoLines>},
    {Condition::kName, all_stands_side_by_side<Condition>},
    {ConditionReleased::kName, all_stands_side_by_side<ConditionReleased>},
    {Park::kName, bells_stand_beside_counters<Park>},
    {AtomicWait::kName, bells_stand_beside_counters<AtomicWait>},
    {Semaphore::kName,
     [] {
       using Cell = Semaphore::Cell;
       expect_apart<Cell>({{offsetof(Cell, ping)},
                           {offsetof(Cell, pong)},
                           {offsetof(Cell, ping_turn), offsetof(Cell, ping_turn) + sizeof(Cell::ping_turn) - 1},
                           {offsetof(Cell, pong_turn), offsetof(Cell, pong_turn) + sizeof(Cell::pong_turn) - 1}});
     }},
    {SpinThenPark::kName,
     [] {
       using Cell = SpinThenPark::Cell;
       expect_apart<Cell>({{offsetof(Cell, ping)},
                           {offsetof(Cell, pong)},
                           {offsetof(Cell, ping_asleep)},
                           {offsetof(Cell, pong_asleep)}});
     }},
    {Eventfd::kName, sides_write_apart<Eventfd>},
    {Pipe::kName, sides_write_apart<Pipe>},
    {Socketpair::kName, sides_write_apart<Socketpair>},
    {TcpLoopback::kName, sides_write_apart<TcpLoopback>},
};

TEST(Layout, OfEveryMechanismIsAsItsNamePromises) {
  for (const crew::Mechanism& mechanism : experiment().mechanisms) {
    SCOPED_TRACE(mechanism.name);
    ASSERT_TRUE(kLayouts.contains(mechanism.name)) << "say above what shares a line";
    kLayouts.at(mechanism.name)();
  }
}

}  // namespace
}  // namespace threadping::signal

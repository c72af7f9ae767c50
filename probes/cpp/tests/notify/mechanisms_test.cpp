// What shares a line in a pair, and what does not. Every mechanism must be in the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "experiments/notify/notify.hpp"
#include "experiments/notify/players.hpp"
#include "notify/mechanisms/bells.hpp"
#include "notify/mechanisms/condition.hpp"
#include "notify/mechanisms/descriptors.hpp"
#include "notify/mechanisms/semaphore.hpp"
#include "support/lines.hpp"

namespace threadping::notify {
namespace {

using platform::kLinePair;
using tests::lines_of;
using tests::Places;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

/// What is told stands in one line; what a side keeps to itself is on a pair of its own.
template <class M>
void keeps_apart() {
  EXPECT_EQ(alignof(typename M::Cell), kLinePair);
  const auto pair = std::make_unique<Pair<M>>(std::span<std::byte>());
  const Told& told = pair->cell.told;
  EXPECT_EQ(lines_of({at(told.calls), at(told.first), at(told.first_ns), at(told.closed), at(told.stopped)}).size(),
            1U);
  EXPECT_EQ(lines_of({at(told), at(pair->notifier_pauses), at(pair->taken)}, kLinePair).size(), 3U);
}

/// The bell stands beside what it rings for.
template <class M>
void rings_beside() {
  keeps_apart<M>();
  const auto cell = std::make_unique<typename M::Cell>();
  EXPECT_EQ(lines_of({at(cell->told), at(cell->bell)}).size(), 1U);
}

void has_permits_apart() {
  keeps_apart<Semaphore>();
  const auto cell = std::make_unique<Semaphore::Cell>();
  EXPECT_EQ(lines_of({at(cell->told), at(cell->permits)}, kLinePair).size(), 2U);
}

const std::map<std::string_view, void (*)()>& layouts() {
  static const std::map<std::string_view, void (*)()> all{
      {"condition", keeps_apart<Condition>}, {"condition-released", keeps_apart<ConditionReleased>},
      {"futex", rings_beside<Futex>},        {"atomic-notify", rings_beside<AtomicNotify>},
      {"semaphore", has_permits_apart},      {"eventfd", keeps_apart<Eventfd>},
      {"pipe", keeps_apart<Pipe>},
  };
  return all;
}

TEST(EveryNotify, KeepsApartWhatIsWrittenApart) {
  for (const engine::Mechanism& mechanism : experiment().mechanisms) {
    SCOPED_TRACE(mechanism.name);
    ASSERT_TRUE(layouts().contains(mechanism.name)) << "say above what shares a line";
    layouts().at(mechanism.name)();
  }
}

}  // namespace
}  // namespace threadping::notify

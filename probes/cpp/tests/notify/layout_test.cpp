// What shares a line in a pair, and what does not.

#include <gtest/gtest.h>

#include <memory>

#include "mechanisms/signals.hpp"
#include "notify/loops.hpp"
#include "support/lines.hpp"

namespace threadping::notify {
namespace {

using platform::kLinePair;
using tests::lines_of;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

constexpr auto kKeepsApart = []<class S>() -> int {
  SCOPED_TRACE(S::kName);
  const auto pair = std::make_unique<Pair<S>>(std::span<std::byte>());
  EXPECT_EQ(lines_of({at(pair->told.first), at(pair->told.first_ns), at(pair->told.leave)}).size(), 1U);
  EXPECT_EQ(lines_of({at(pair->cell.published), at(pair->notifier), at(pair->waiter)}, kLinePair).size(), 3U);
  EXPECT_EQ(lines_of({at(pair->told), at(pair->notifier), at(pair->waiter)}, kLinePair).size(), 3U);
  return 0;
};

TEST(EveryNotify, KeepsApartWhatIsWrittenApart) { signals::Blocking::each(kKeepsApart); }

TEST(Notify, TellsBesideTheNumberWhereThereIsRoom) {
  const auto pair = std::make_unique<Pair<signals::Futex>>(std::span<std::byte>());
  EXPECT_EQ(lines_of({at(pair->cell.published), at(pair->cell.bell), at(pair->told.first_ns)}).size(), 1U);
}

}  // namespace
}  // namespace threadping::notify

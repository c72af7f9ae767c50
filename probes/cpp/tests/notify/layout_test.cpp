// What shares a line in a pair, and what does not.

#include <gtest/gtest.h>

#include <memory>

#include "experiments/notify/players.hpp"
#include "mechanisms/signals.hpp"
#include "support/lines.hpp"

namespace threadping::notify {
namespace {

using platform::kLinePair;
using tests::lines_of;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

constexpr auto kKeepsApart = []<class S>() -> int {
  SCOPED_TRACE(S::kName);
  const auto pair = std::make_unique<Pair<S>>(std::span<std::byte>(), nanoseconds(0));
  EXPECT_EQ(lines_of({at(pair->first), at(pair->first_ns), at(pair->last)}).size(), 1U);
  EXPECT_EQ(lines_of({at(pair->cell.published), at(pair->published), at(pair->taken)}, kLinePair).size(), 3U);
  EXPECT_EQ(lines_of({at(pair->first), at(pair->published), at(pair->taken)}, kLinePair).size(), 3U);
  return 0;
};

TEST(EveryNotify, KeepsApartWhatIsWrittenApart) { signals::Blocking::each(kKeepsApart); }

TEST(Notify, TellsBesideTheNumberWhereThereIsRoom) {
  const auto pair = std::make_unique<Pair<signals::Futex>>(std::span<std::byte>(), nanoseconds(0));
  EXPECT_EQ(lines_of({at(pair->cell.published), at(pair->cell.bell), at(pair->first_ns)}).size(), 1U);
}

}  // namespace
}  // namespace threadping::notify

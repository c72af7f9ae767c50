// What shares a line in a pair, and what does not.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "experiments/wakeup/players.hpp"
#include "mechanisms/signals.hpp"
#include "support/lines.hpp"

namespace threadping::wakeup {
namespace {

using platform::kLinePair;
using tests::lines_of;

std::uintptr_t at(const auto& part) { return reinterpret_cast<std::uintptr_t>(&part); }

/// Where the parts of a pair are.
struct Parts {
  std::string_view name;
  std::uintptr_t first, first_ns, last, cell, published, taken;
};
constexpr auto kParts = []<class S>() -> Parts {
  const WakeupPair<S> pair(std::span<std::byte>(), nanoseconds(0));
  return {.name = S::kName,
          .first = at(pair.first),
          .first_ns = at(pair.first_ns),
          .last = at(pair.last),
          .cell = at(pair.cell.published),
          .published = at(pair.published),
          .taken = at(pair.taken)};
};

TEST(EveryNotify, KeepsApartWhatIsWrittenApart) {
  for (const Parts& pair : signals::Blocking::each(kParts)) {
    SCOPED_TRACE(pair.name);
    EXPECT_EQ(lines_of({pair.first, pair.first_ns, pair.last}).size(), 1U);
    EXPECT_EQ(lines_of({pair.cell, pair.published, pair.taken}, kLinePair).size(), 3U);
    EXPECT_EQ(lines_of({pair.first, pair.published, pair.taken}, kLinePair).size(), 3U);
  }
}

TEST(Wakeup, SharesTheLineOfTheNumberWhereItFits) {
  const WakeupPair<signals::Futex> pair(std::span<std::byte>(), nanoseconds(0));
  EXPECT_EQ(lines_of({at(pair.cell.published), at(pair.cell.bell), at(pair.first_ns)}).size(), 1U);
}

}  // namespace
}  // namespace threadping::wakeup

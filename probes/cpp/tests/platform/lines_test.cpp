#include "platform/lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>

namespace threadping::platform {
namespace {

/// A cell of `Size` bytes.
template <std::size_t Size>
struct alignas(128) Sized {
  std::array<std::byte, Size> bytes{};
};

template <class Cell>
class LinesOf : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 100;  // more than there are offsets in a page

  std::uintptr_t address(std::size_t index) { return reinterpret_cast<std::uintptr_t>(&lines_[index]); }

  Lines<Cell> lines_{kCount};
};

using Cells = testing::Types<Sized<8>, Sized<128>, Sized<256>, Sized<384>, Sized<3968>>;
TYPED_TEST_SUITE(LinesOf, Cells);

TYPED_TEST(LinesOf, PutsEachCellOnAPageOfItsOwn) {
  std::set<std::uintptr_t> pages;
  for (std::size_t index = 0; index < this->kCount; ++index) {
    const std::uintptr_t first = this->address(index);
    const std::uintptr_t last = first + sizeof(TypeParam) - 1;
    EXPECT_EQ(first / kPage, last / kPage) << index;
    EXPECT_TRUE(pages.insert(first / kPage).second) << index;
  }
}

TYPED_TEST(LinesOf, SharesNoPairOfLines) {
  std::set<std::uintptr_t> pairs;
  for (std::size_t index = 0; index < this->kCount; ++index) {
    EXPECT_EQ(this->address(index) % kLinePair, 0U) << index;
    for (std::size_t offset = 0; offset < sizeof(TypeParam); offset += kLinePair)
      EXPECT_TRUE(pairs.insert((this->address(index) + offset) / kLinePair).second) << index;
  }
}

TYPED_TEST(LinesOf, UsesEveryOffsetOfAPageInTurn) {
  constexpr std::size_t kOffsets = (kPage - sizeof(TypeParam)) / kLinePair + 1;
  std::set<std::uintptr_t> offsets;
  for (std::size_t index = 0; index < this->kCount; ++index) {
    const std::uintptr_t offset = this->address(index) % kPage;
    EXPECT_EQ(offsets.insert(offset).second, index < kOffsets) << index;
  }
  EXPECT_EQ(offsets.size(), kOffsets);
}

/// Counts how many of it are alive.
struct alignas(128) Living {
  inline static int alive = 0;
  Living() { ++alive; }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  ~Living() { --alive; }
};

TEST(Lines, MakesAndDestroysItsCells) {
  {
    const Lines<Living> lines(7);
    EXPECT_EQ(lines.size(), 7U);
    EXPECT_EQ(Living::alive, 7);
  }
  EXPECT_EQ(Living::alive, 0);
}

}  // namespace
}  // namespace threadping::platform

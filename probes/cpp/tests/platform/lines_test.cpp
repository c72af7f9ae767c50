#include "platform/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace threadping::platform {
namespace {

constexpr std::size_t kCount = 100;  ///< More than there are places in a page.

/// Cells of some size with some extra memory behind each.
struct Laid {
  std::size_t size;
  std::size_t extra;
  std::size_t places;  ///< The number of different ones that a page has for them.
  std::shared_ptr<const void> lines;
  const std::byte* memory;
  std::vector<std::uintptr_t> addresses;
  std::vector<std::byte*> extras;
};

template <std::size_t kSize>
struct alignas(kLinePair) Sized {
  std::array<std::byte, kSize> bytes{};
};

template <std::size_t kSize>
Laid laid(std::size_t extra, std::size_t places) {
  using Cell = Sized<kSize>;
  Laid all{};
  all.size = sizeof(Cell);
  all.extra = extra;
  all.places = places;
  const auto lines =
      std::make_shared<const Lines<Cell>>(kCount, Sharing::threads, extra, [&](void* place, std::byte* behind) {
        new (place) Cell;
        all.extras.push_back(behind);
      });
  EXPECT_EQ(lines->size(), kCount);
  for (std::size_t index = 0; index < kCount; ++index)
    all.addresses.push_back(reinterpret_cast<std::uintptr_t>(&(*lines)[index]));
  all.lines = lines;
  all.memory = lines->memory();
  return all;
}

std::vector<Laid> each() {
  return {laid<8>(0, 32),    laid<128>(0, 32),  laid<256>(0, 31),    laid<384>(0, 30),
          laid<3968>(0, 32), laid<128>(64, 31), laid<256>(1000, 23), laid<256>(100'000, 17)};
}

std::uintptr_t at(const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place); }

TEST(Lines, PutEachCellOnPagesOfItsOwn) {
  for (const Laid& of : each())
    for (std::size_t index = 1; index < kCount; ++index)
      EXPECT_GT(of.addresses[index] / kPage, (at(of.extras[index - 1]) + of.extra - 1) / kPage)
          << index << " of " << of.size << " and " << of.extra;
}

TEST(Lines, StartEachCellAndItsExtraMemoryAtAPairOfLines) {
  for (const Laid& of : each())
    for (std::size_t index = 0; index < kCount; ++index) {
      SCOPED_TRACE(index);
      const std::uintptr_t extra = at(of.extras[index]);
      EXPECT_EQ(of.addresses[index] % kLinePair, 0U) << of.size << " and " << of.extra;
      EXPECT_EQ(extra % kLinePair, 0U) << of.size << " and " << of.extra;
      EXPECT_GE(extra, of.addresses[index] + of.size) << of.extra;
      EXPECT_LT(extra, of.addresses[index] + of.size + kLinePair) << of.extra;
    }
}

TEST(Lines, UseEveryPlaceOfAPage) {
  for (const Laid& of : each()) {
    std::set<std::uintptr_t> places;
    for (std::size_t index = 0; index < kCount; ++index)
      EXPECT_EQ(places.insert(of.addresses[index] % kPage).second, index < of.places)
          << index << " of " << of.size << " and " << of.extra;
    EXPECT_EQ(places.size(), of.places) << of.size << " and " << of.extra;
  }
}

/// A trial may write to the end of the last extra memory.
TEST(Lines, HaveMemoryForAllOfThem) {
  for (const Laid& of : each()) {
    for (std::byte* extra : of.extras) std::fill_n(extra, of.extra, std::byte{1});
    EXPECT_LE(at(of.memory), of.addresses.front()) << of.size << " and " << of.extra;
  }
}

}  // namespace
}  // namespace threadping::platform

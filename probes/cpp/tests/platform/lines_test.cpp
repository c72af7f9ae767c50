#include "platform/lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace threadping::platform {
namespace {

/// A cell of `Size` bytes with `Room` behind it, for which a page has so many different places.
template <std::size_t Size, std::size_t Room, std::size_t Places>
struct alignas(128) Sized {
  static constexpr std::size_t kRoom = Room;
  static constexpr std::size_t kPlaces = Places;
  std::array<std::byte, Size> bytes{};
};

template <class Cell>
class LinesOf : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 100;  // more than there are places in a page

  [[nodiscard]] std::uintptr_t address(std::size_t index) { return reinterpret_cast<std::uintptr_t>(&lines_[index]); }

  /// Where the room of this cell ends.
  [[nodiscard]] std::uintptr_t end(std::size_t index) const {
    return reinterpret_cast<std::uintptr_t>(rooms_[index]) + Cell::kRoom;
  }

  std::vector<std::byte*> rooms_;
  Lines<Cell> lines_{kCount, Sharing::threads, Cell::kRoom, [this](void* place, std::byte* room) {
                       new (place) Cell;
                       rooms_.push_back(room);
                     }};
};

using Cells = testing::Types<Sized<8, 0, 32>, Sized<128, 0, 32>, Sized<256, 0, 31>, Sized<384, 0, 30>,
                             Sized<3968, 0, 32>, Sized<128, 64, 31>, Sized<256, 1000, 23>, Sized<256, 100'000, 17>>;
TYPED_TEST_SUITE(LinesOf, Cells);

TYPED_TEST(LinesOf, PutsEachCellOnPagesOfItsOwn) {
  for (std::size_t index = 1; index < this->kCount; ++index)
    EXPECT_GT(this->address(index) / kPage, (this->end(index - 1) - 1) / kPage) << index;
}

TYPED_TEST(LinesOf, StartsEachCellAndItsRoomAtAPairOfLines) {
  for (std::size_t index = 0; index < this->kCount; ++index) {
    const auto room = reinterpret_cast<std::uintptr_t>(this->rooms_[index]);
    EXPECT_EQ(this->address(index) % kLinePair, 0U) << index;
    EXPECT_EQ(room % kLinePair, 0U) << index;
    EXPECT_GE(room, this->address(index) + sizeof(TypeParam)) << index;
    EXPECT_LT(room, this->address(index) + sizeof(TypeParam) + kLinePair) << index;
  }
}

TYPED_TEST(LinesOf, UsesEveryPlaceOfAPageInTurn) {
  std::set<std::uintptr_t> places;
  for (std::size_t index = 0; index < this->kCount; ++index) {
    const std::uintptr_t place = this->address(index) % kPage;
    EXPECT_EQ(places.insert(place).second, index < TypeParam::kPlaces) << index;
  }
  EXPECT_EQ(places.size(), TypeParam::kPlaces);
}

/// Who runs it may write to the end of the last room.
TYPED_TEST(LinesOf, HasMemoryForAllOfThem) {
  for (std::byte* room : this->rooms_)
    for (std::size_t offset = 0; offset < TypeParam::kRoom; ++offset) room[offset] = std::byte{1};
  EXPECT_EQ(this->lines_.size(), this->kCount);
  EXPECT_LE(reinterpret_cast<std::uintptr_t>(this->lines_.memory()), this->address(0));
}

}  // namespace
}  // namespace threadping::platform

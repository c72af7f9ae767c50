// What a turn's two parts promise, asked of the mechanisms themselves: crew::Loops takes turns whole and in order.

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "crew/experiment.hpp"
#include "crew/params.hpp"
#include "signal/every.hpp"
#include "signal/loop.hpp"
#include "signal/signal.hpp"

namespace threadping::signal {
namespace {

/// A mechanism with its default parameters, and a cell.
template <class M>
class Turn : public testing::Test {
 protected:
  using Cell = M::Cell;

  M mechanism_ = [] {
    if constexpr (std::constructible_from<M, const crew::Params&>)
      return M(crew::Params(*std::ranges::find(experiment().mechanisms, M::kName, &crew::Mechanism::name), {}));
    else
      return M{};
  }();
  std::unique_ptr<Cell> cell_ = [] {
    if constexpr (std::constructible_from<Cell, platform::Sharing>)
      return std::make_unique<Cell>(platform::Sharing::threads);
    else
      return std::make_unique<Cell>();
  }();

  template <Side S>
  std::uint64_t turn(std::uint64_t expected) {
    return signal::turn<S>(mechanism_, *cell_, expected);
  }
  [[nodiscard]] std::uint64_t hand_overs() { return mechanism_.hand_overs(*cell_); }
};

struct NameOf {
  template <class M>
  static std::string GetName(int /*index*/) {
    std::string name(M::kName);
    std::ranges::replace(name, '-', '_');
    return name;
  }
};
TYPED_TEST_SUITE(Turn, Every, NameOf);

TYPED_TEST(Turn, ThatIsOverIsSeenAndNotTaken) {
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    ASSERT_EQ(this->template turn<Side::ping>(expected), expected);
    ASSERT_EQ(this->template turn<Side::pong>(expected + 1), expected + 1);
  }
  EXPECT_EQ(this->template turn<Side::ping>(4), 10U);
  EXPECT_EQ(this->hand_overs(), 10U);
  ASSERT_EQ(this->template turn<Side::ping>(10), 10U);
  EXPECT_EQ(this->template turn<Side::pong>(3), 11U);
}

/// Only the swap of cas-one-line does both at once.
TYPED_TEST(Turn, WaitsAndTellsApart) {
  const bool tells_at_once = TypeParam::kName == std::string_view("cas-one-line");
  const auto take = [&]<Side S>(std::integral_constant<Side, S>, std::uint64_t expected) {
    const Awaited awaited = this->mechanism_.template await<S>(*this->cell_, expected);
    ASSERT_TRUE(awaited.due);
    ASSERT_EQ(awaited.seen, expected);
    ASSERT_EQ(this->hand_overs(), expected + (tells_at_once ? 1 : 0));
    this->mechanism_.template tell<S>(*this->cell_, expected);
    ASSERT_EQ(this->hand_overs(), expected + 1);
  };
  for (std::uint64_t expected = 0; expected < 10; expected += 2) {
    take(std::integral_constant<Side, Side::ping>(), expected);
    take(std::integral_constant<Side, Side::pong>(), expected + 1);
  }
}

template <class... M>
std::multiset<std::string_view> names_of(testing::Types<M...> /*all*/) {
  return {M::kName...};
}

TEST(Every, IsEveryMechanismOfTheList) {
  std::multiset<std::string_view> listed;
  for (const crew::Mechanism& mechanism : experiment().mechanisms) listed.insert(mechanism.name);
  EXPECT_EQ(names_of(Every()), listed);
}

}  // namespace
}  // namespace threadping::signal

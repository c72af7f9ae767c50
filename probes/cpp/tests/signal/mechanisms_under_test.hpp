#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "signal/mechanisms.hpp"

namespace threadping::signal {

template <class List>
struct AsTestTypes;
template <class... M>
struct AsTestTypes<std::tuple<M...>> {
  using Types = testing::Types<M...>;
};

/// Every mechanism of the list: one that is added there inherits every question of the typed tests.
using MechanismsUnderTest = AsTestTypes<Mechanisms>::Types;

/// Names a typed test after its mechanism; a hyphen would mean "not" in a test filter.
struct MechanismName {
  template <class M>
  static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): the name that GoogleTest calls
    std::string name(M::kInfo.name);
    std::ranges::replace(name, '-', '_');
    return name;
  }
};

}  // namespace threadping::signal

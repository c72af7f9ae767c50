#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lock/cells.hpp"
#include "mechanism_info.hpp"
#include "params.hpp"

namespace threadping::lock {

/// What a mechanism says of itself, and how its cells are made for some threads. Making them throws Failure.
struct Entry {
  MechanismInfo info;
  std::unique_ptr<Cells> (*make)(const Params& params, std::size_t count, std::size_t threads);
};

/// Every mechanism of `lock`, in the order in which it is shown.
const std::vector<Entry>& catalogue();

}  // namespace threadping::lock

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "params.hpp"
#include "signal/cells.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

/// What a mechanism says of itself, and how its cells are made. Making them throws Failure.
struct Entry {
  MechanismInfo info;
  std::unique_ptr<Cells> (*make)(const Params& params, std::size_t count);
};

/// Every mechanism of `signal`, in the order in which it is shown.
const std::vector<Entry>& catalogue();

}  // namespace threadping::signal

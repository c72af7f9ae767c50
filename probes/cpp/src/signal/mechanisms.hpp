#pragma once

#include <tuple>

#include "signal/add_one_line.hpp"
#include "signal/cas_one_line.hpp"
#include "signal/condition.hpp"
#include "signal/release_two_lines.hpp"

namespace threadping::signal {

/// Every mechanism of `signal`: a new one is a file beside this one and a line here.
using Mechanisms = std::tuple<  //
    CasOneLine,                 //
    AddOneLine,                 //
    ReleaseTwoLines,            //
    Condition>;

}  // namespace threadping::signal

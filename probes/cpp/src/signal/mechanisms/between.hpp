#pragma once

#include <array>
#include <string_view>

#include "params.hpp"
#include "platform/memory.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

inline constexpr std::array<std::string_view, 2> kBetween{"threads", "processes"};

inline constexpr ParamInfo kBetweenParam{
    .name = "between",
    .summary = "Whether pong is a thread of ping's process or a process of its own that shares the cell's memory.",
    .choices = kBetween,
};

/// Of a mechanism that has this parameter alone.
inline constexpr std::array<ParamInfo, 1> kBetweenAlone{kBetweenParam};

/// Who shares the cells of a mechanism with these parameters; threads where it does not ask.
inline platform::Sharing sharing_of(const Params& params) {
  return params.has("between") && params.text("between") == kBetween[1] ? platform::Sharing::processes
                                                                        : platform::Sharing::threads;
}

}  // namespace threadping::signal

#pragma once

#include <array>
#include <string_view>

#include "crew/experiment.hpp"
#include "crew/params.hpp"
#include "platform/memory.hpp"

namespace threadping::signal {

inline constexpr std::array<std::string_view, 2> kBetween{"threads", "processes"};

/// Whether pong is a thread or a process.
inline constexpr crew::ParamInfo kBetweenParam{.name = "between", .choices = kBetween};

/// Of a mechanism that has this parameter alone.
inline constexpr std::array<crew::ParamInfo, 1> kBetweenAlone{kBetweenParam};

/// Who shares the cells of a mechanism with these parameters; threads where it does not ask.
inline platform::Sharing sharing_of(const crew::Params& params) {
  return params.has("between") && params.text("between") == kBetween[1] ? platform::Sharing::processes
                                                                        : platform::Sharing::threads;
}

}  // namespace threadping::signal

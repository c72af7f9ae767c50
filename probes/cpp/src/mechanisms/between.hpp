#pragma once

#include <array>
#include <string_view>

#include "engine/params.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

inline constexpr std::array<std::string_view, 2> kBetween{"threads", "processes"};

/// Whether the other thread is one of this process, or of a process of its own.
inline constexpr engine::ParamInfo kBetweenParam{.name = "between", .choices = kBetween};

/// Who shares the cells of a mechanism with these parameters; threads where nobody asks.
inline platform::Sharing sharing_of(const engine::Params& params) {
  return params.has("between") && params.text("between") == kBetween[1] ? platform::Sharing::processes
                                                                        : platform::Sharing::threads;
}

}  // namespace threadping::signals

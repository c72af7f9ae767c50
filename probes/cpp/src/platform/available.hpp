#pragma once

#include <cstdint>
#include <string>

namespace threadping::platform {

/// How many bytes of memory this process may still take before the kernel has to kill somebody: what the machine has
/// available, or less where a control group of this process, of version 1 or 2, has a limit. The most there is where
/// nothing tells. `root` is where /proc and /sys are.
std::uint64_t available_bytes(const std::string& root = "");

}  // namespace threadping::platform

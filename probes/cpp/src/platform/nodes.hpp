#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace threadping::platform {

/// The NUMA nodes, ascending, on which the mapping that holds this address has pages, as /proc/self/numa_maps tells
/// (proc(5)); nullopt where the kernel does not.
std::optional<std::vector<int>> nodes_of(const std::byte* address);

}  // namespace threadping::platform

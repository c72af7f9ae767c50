#pragma once

#include <optional>

namespace threadping::platform {

/// Makes the kernel kill this process when the one that started it ends. `expected_parent` closes the gap before the
/// call: if that process is no longer our parent, it has already ended, and so do we.
void die_with_parent(std::optional<int> expected_parent);

}  // namespace threadping::platform

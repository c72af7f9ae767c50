#pragma once

#include <cstddef>

namespace threadping::platform {

/// What a timed loop is aligned to: a cache line of code, on x86 and on most ARM. Elsewhere in its line the same loop,
/// instruction by instruction, took up to 16% longer (docs/signal.md), and where it stood changed with whatever code
/// was added before it.
inline constexpr std::size_t kCodeLine = 64;

}  // namespace threadping::platform

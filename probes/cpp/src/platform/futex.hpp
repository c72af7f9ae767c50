#pragma once

#include <atomic>
#include <cstdint>

#include "platform/memory.hpp"

namespace threadping::platform {

/// Sleeps while `word` is `value`; may wake for no reason, as futex(2) may.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing);

/// Wakes one that sleeps at `word`, if there is one.
void futex_wake(std::atomic<std::uint32_t>& word, Sharing sharing);

}  // namespace threadping::platform

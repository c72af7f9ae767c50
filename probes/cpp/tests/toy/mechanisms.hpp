#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace threadping::toy {

/// A load and a store: enough where nobody else writes.
struct StoreAdd {
  static constexpr std::string_view kName = "store-add";
  static void add(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

/// One locked instruction.
struct LockedAdd {
  static constexpr std::string_view kName = "locked-add";
  static void add(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }
};

}  // namespace threadping::toy

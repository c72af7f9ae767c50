#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"
#include "lock/mechanisms/own_counters.hpp"

namespace threadping::lock {

/// A counter on a line of its own.
struct alignas(platform::kLinePair) PaddedSlot {
  std::atomic<std::uint64_t> value = 0;
};

/// Each thread counts on a line of its own, which it alone writes (the Single Writer Principle, Mechanical Sympathy,
/// 2011).
class SingleWriterRelease : public OwnCounters<PaddedSlot> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr std::string_view kName = "single-writer-release";
};

}  // namespace threadping::lock

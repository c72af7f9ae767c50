#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "crew/orders.hpp"
#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/lines.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {

/// What one member tells the others, on lines that it alone writes; nothing in it points anywhere, so that the member
/// may be a process.
struct alignas(platform::kLinePair) Board {
  static constexpr std::uint64_t kEverything = UINT64_MAX;

  std::atomic<std::uint64_t> ops{0};       ///< Completed, a loop behind at most.
  std::atomic<std::uint64_t> obeyed{0};    ///< The number of the order that it does, or has done.
  std::atomic<std::uint64_t> finished{0};  ///< Of the order that it has done.
  std::atomic<bool> ended{false};

  alignas(platform::kLinePair) std::atomic<bool> failed{false};
  ErrorCode code = ErrorCode::internal;
  std::array<char, 512> message{};
  platform::CpuMask cpus_start;
  platform::CpuMask cpus_end;
  platform::ThreadCounters counters;  ///< Over the measuring phase.

  /// The first failure is the cause of what may fail next. Nobody waits for whoever has failed.
  void fail(ErrorCode why, std::string_view sentence) {
    if (failed) return;
    code = why;
    sentence.copy(message.data(), message.size() - 1);
    failed = true;
    obeyed = kEverything;
    finished = kEverything;
  }
};

/// What all threads of a trial share besides the cells, be they threads or processes.
struct Common {
  Orders orders;
  Gate gate;
};

}  // namespace threadping::crew

#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crew/orders.hpp"
#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/lines.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {

/// A CPU set that stays readable in another process.
class CpuMask {
 public:
  void set(const platform::CpuSet& cpus) {
    for (const int cpu : cpus) mask_.set(static_cast<std::size_t>(cpu));
  }
  [[nodiscard]] platform::CpuSet cpus() const {
    platform::CpuSet cpus;
    for (std::size_t cpu = 0; cpu < mask_.size(); ++cpu)
      if (mask_.test(cpu)) cpus.push_back(static_cast<int>(cpu));
    return cpus;
  }

 private:
  std::bitset<platform::kMostCpus> mask_;
};

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
  CpuMask cpus_start;
  CpuMask cpus_end;
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

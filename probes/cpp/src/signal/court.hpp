#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <optional>
#include <string_view>

#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/pinning.hpp"
#include "signal/orders.hpp"

namespace threadping::signal {

inline constexpr std::size_t kPing = 0;
inline constexpr std::size_t kPong = 1;

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
  std::bitset<65536> mask_;  // more than any Linux kernel is built for
};

/// What a side tells of itself when it has ended; nothing in it points anywhere.
struct SideReport {
  CpuMask cpus_start;
  CpuMask cpus_end;
  platform::ThreadCounters counters;
  std::atomic<bool> failed = false;
  ErrorCode code = ErrorCode::internal;
  std::array<char, 512> message{};

  /// The first failure is the cause of what may fail next.
  void fail(ErrorCode why, std::string_view sentence) {
    if (failed) return;
    code = why;
    sentence.copy(message.data(), message.size() - 1);
    failed = true;
  }
};

/// What ping, pong and their watchdog share besides the cells, be they threads or processes.
struct Court {
  Orders orders;
  std::array<SideReport, 2> sides;
  std::atomic<int> pinned = 0;               ///< Sides that stand where they are to stand, or cannot.
  std::array<std::atomic<bool>, 2> ended{};  ///< Which sides need no more stopping.
  std::atomic<bool> stopping = false;        ///< The watchdog has begun to stop the lines.

  [[nodiscard]] bool hopeless() const { return sides[kPing].failed || sides[kPong].failed; }
};

}  // namespace threadping::signal

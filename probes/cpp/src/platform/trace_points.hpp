#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace threadping::platform {

/// The interrupts that came while the calling thread ran, counted by the kernel's trace points (perf_event_open(2)),
/// which takes CAP_PERFMON and a mounted tracefs.
class TracePoints {
 public:
  /// Counts nothing where that is not so. `tracing`: where tracefs may be mounted.
  explicit TracePoints(const std::vector<std::string>& tracing = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"});
  TracePoints(const TracePoints&) = delete;
  TracePoints& operator=(const TracePoints&) = delete;
  TracePoints(TracePoints&& other) noexcept : events_(std::move(other.events_)) { other.events_.clear(); }
  TracePoints& operator=(TracePoints&&) = delete;
  ~TracePoints();

  /// Since this was made, all kinds together, with one system call; absent where nothing is counted.
  [[nodiscard]] std::optional<std::uint64_t> read() const;

 private:
  std::vector<int> events_;  ///< One group, whose first reads all.
};

}  // namespace threadping::platform

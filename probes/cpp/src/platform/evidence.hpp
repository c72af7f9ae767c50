#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platform/counters.hpp"
#include "platform/descriptor.hpp"
#include "platform/kernel_texts.hpp"

namespace threadping::platform {

/// The interrupts that came while the calling thread ran, counted by the kernel's trace points (perf_event_open(2)),
/// which takes CAP_PERFMON and a mounted tracefs.
class TracePoints {
 public:
  /// Counts nothing where that is not so. `tracing`: where tracefs may be mounted.
  explicit TracePoints(const std::vector<std::string>& tracing = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"});

  /// Since this was made, all kinds together, with one system call; absent where nothing is counted.
  [[nodiscard]] std::optional<std::uint64_t> read() const;

 private:
  std::vector<Descriptor> events_;  ///< One group, whose first reads all.
};

/// The source of interrupt counts: by trace points, those that came while the thread ran; by soft interrupts, those of
/// its CPU.
enum class Interrupts { unknown, soft, trace_points };

/// The most other threads whose run delay is looked at.
inline constexpr std::size_t kMostOthers = 7;

/// The most CPUs whose idle times are looked at.
inline constexpr std::size_t kMostIdle = 4;

/// What the kernel had counted for a thread at a moment; absent where the kernel does not report it, or was not asked.
struct Look {
  std::uint64_t at_ns = 0;
  int cpu = 0;
  ThreadCounters counters;
  std::optional<std::uint64_t> run_delay_ns;
  std::array<std::optional<std::uint64_t>, kMostOthers> others_run_delay_ns;
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> throttled_ns;                      ///< By CPU quotas, of all threads together.
  std::array<std::optional<std::uint64_t>, kMostIdle> idle_ns{};  ///< Idle time of each observed CPU.
  std::uint64_t done_ns = 0;                                      ///< When all was read.
};

/// What it counted from one look to another (contract/result.schema.json).
struct Seen {
  std::uint64_t ns = 0;
  int cpu_before = 0;
  int cpu = 0;
  ThreadCounters counters;
  std::optional<std::uint64_t> run_delay_ns;
  std::optional<std::uint64_t> others_run_delay_ns;  ///< The longest of theirs.
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> throttled_ns;
  std::optional<std::uint64_t> awake_ns;  ///< Between the looks, for how long its CPU did not sleep;
  std::optional<bool> others_woken;       ///< and whether another CPU of the trial came out of its sleep.
};

/// Looks at what the kernel counts for the thread in which it was made, with files that it keeps open. A look neither
/// opens nor allocates anything.
class Onlooker {
 public:
  /// `others`: threads, by the kernel's numbers, whose run delay is to be looked at, kMostOthers at most.
  /// `with_trace_points`: whether they are to be tried. `cpus`: whose idle times are to be looked at, kMostIdle at
  /// most; `root`: where the kernel reports them.
  Onlooker(std::span<const int> others, bool with_trace_points, std::span<const int> cpus = {},
           const std::string& root = "/sys/devices/system/cpu");
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;
  virtual ~Onlooker() = default;

  [[nodiscard]] virtual Look look();

  /// What happened from one look to another.
  [[nodiscard]] Seen between(const Look& before, const Look& after) const;

  [[nodiscard]] Interrupts interrupts() const { return interrupts_; }

  /// What cannot be seen here and what would show it, a sentence each.
  [[nodiscard]] std::vector<std::string> lacking() const;

 private:
  struct Idle {
    int cpu;
    IdleTime time;
  };
  void look_at_idle(Look& look);
  void compare_idle(const Look& before, const Look& after, Seen& seen) const;

  KeptOpen own_schedstat_;
  std::vector<KeptOpen> others_schedstat_;
  KeptOpen softirqs_;
  Quotas quotas_;
  TracePoints trace_points_;
  const bool with_trace_points_;
  Interrupts interrupts_ = Interrupts::unknown;
  bool tells_run_delay_ = false;
  std::vector<Idle> idle_;
};

}  // namespace threadping::platform

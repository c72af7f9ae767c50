#include "platform/evidence.hpp"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "platform/clock.hpp"
#include "platform/text_files.hpp"

namespace threadping::platform {
namespace {

/// The timer's, those by which one CPU calls upon another, and those of devices. What an architecture lacks is left
/// out.
constexpr std::array kKinds{
    "irq_vectors/local_timer_entry",          "irq_vectors/reschedule_entry", "irq_vectors/call_function_entry",
    "irq_vectors/call_function_single_entry", "irq/irq_handler_entry",
};

std::optional<std::uint64_t> id_of(const std::string& kind, const std::vector<std::string>& tracing) {
  for (const std::string& root : tracing) {
    const std::string text = read_text(root + "/events/" + kind + "/id").value_or("");
    std::string_view left = text;
    if (const auto id = next_number(left)) return id;
  }
  return std::nullopt;
}

/// Negative where the kernel refuses.
Descriptor open_event(std::uint64_t id, int group) {
  constexpr int kThisThread = 0;
  constexpr int kAnyCpu = -1;
  perf_event_attr event{};
  event.type = PERF_TYPE_TRACEPOINT;
  event.size = sizeof event;
  event.config = id;
  event.read_format = PERF_FORMAT_GROUP;
  return Descriptor(
      static_cast<int>(syscall(SYS_perf_event_open, &event, kThisThread, kAnyCpu, group, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

TracePoints::TracePoints(const std::vector<std::string>& tracing) {
  for (const char* kind : kKinds) {
    const auto id = id_of(kind, tracing);
    if (!id) continue;
    Descriptor event = open_event(*id, events_.empty() ? -1 : events_.front().get());
    if (event.get() >= 0) events_.push_back(std::move(event));
  }
}

std::optional<std::uint64_t> TracePoints::read() const {
  if (events_.empty()) return std::nullopt;
  std::array<std::uint64_t, 1 + kKinds.size()> counts{};  // how many there are, and each
  if (::read(events_.front().get(), counts.data(), sizeof counts) <= 0) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::size_t kind = 1; kind <= events_.size(); ++kind) sum += counts[kind];
  return sum;
}

Onlooker::Onlooker(std::span<const int> others, bool with_trace_points, std::span<const int> cpus,
                   const std::string& root)
    : own_schedstat_("/proc/thread-self/schedstat"),
      softirqs_("/proc/softirqs"),
      trace_points_(with_trace_points ? TracePoints() : TracePoints(std::vector<std::string>{})),
      with_trace_points_(with_trace_points) {
  for (const int thread : others.first(std::min(others.size(), kMostOthers)))
    others_schedstat_.emplace_back("/proc/" + std::to_string(thread) + "/schedstat");
  if (trace_points_.read())
    interrupts_ = Interrupts::trace_points;
  else if (soft_interrupts_in(softirqs_.read(), sched_getcpu()))
    interrupts_ = Interrupts::soft;
  tells_run_delay_ = run_delay_in(own_schedstat_.read()).has_value();
  for (const int cpu : cpus.first(std::min(cpus.size(), kMostIdle)))
    idle_.push_back({.cpu = cpu, .time = IdleTime(cpu, root)});
}

Look Onlooker::look() {
  Look look{.at_ns = now_ns(),
            .cpu = sched_getcpu(),
            .counters = read_quick_counters(),
            .run_delay_ns = run_delay_in(own_schedstat_.read()),
            .others_run_delay_ns = {},
            .interrupts = std::nullopt,
            .throttled_ns = quotas_.read(),
            .idle_ns = {}};
  for (std::size_t other = 0; other < others_schedstat_.size(); ++other)
    look.others_run_delay_ns[other] = run_delay_in(others_schedstat_[other].read());
  if (interrupts_ == Interrupts::trace_points) look.interrupts = trace_points_.read();
  if (interrupts_ == Interrupts::soft) look.interrupts = soft_interrupts_in(softirqs_.read(), look.cpu);
  look_at_idle(look);
  return look;
}

/// As late as possible, since a CPU that was just called needs some microseconds until it has come out of its sleep.
/// While this thread looks its own CPU is awake.
void Onlooker::look_at_idle(Look& look) {
  for (std::size_t at = 0; at < idle_.size(); ++at) look.idle_ns[at] = idle_[at].time.read();
  look.done_ns = now_ns();
}

Seen Onlooker::between(const Look& before, const Look& after) const {
  const bool same_count = interrupts_ == Interrupts::trace_points || before.cpu == after.cpu;
  Seen seen{.ns = after.at_ns - before.at_ns,
            .cpu_before = before.cpu,
            .cpu = after.cpu,
            .counters = after.counters - before.counters,
            .run_delay_ns = difference(after.run_delay_ns, before.run_delay_ns),
            .others_run_delay_ns = std::nullopt,
            .interrupts = same_count ? difference(after.interrupts, before.interrupts) : std::nullopt,
            .throttled_ns = difference(after.throttled_ns, before.throttled_ns),
            .awake_ns = std::nullopt,
            .others_woken = std::nullopt};
  for (std::size_t other = 0; other < others_schedstat_.size(); ++other)
    seen.others_run_delay_ns = std::max(
        seen.others_run_delay_ns, difference(after.others_run_delay_ns[other], before.others_run_delay_ns[other]));
  compare_idle(before, after, seen);
  return seen;
}

/// Where the thread was moved nobody knows on which CPU it slept how long.
void Onlooker::compare_idle(const Look& before, const Look& after, Seen& seen) const {
  const std::uint64_t between_ns = after.at_ns - std::min(before.done_ns, after.at_ns);
  for (std::size_t at = 0; at < idle_.size(); ++at) {
    const auto slept_ns = difference(after.idle_ns[at], before.idle_ns[at]);
    if (!slept_ns) continue;
    if (idle_[at].cpu != after.cpu)
      seen.others_woken = seen.others_woken.value_or(false) || *slept_ns > 0;
    else if (before.cpu == after.cpu)
      seen.awake_ns = between_ns - std::min(between_ns, *slept_ns);
  }
}

std::vector<std::string> Onlooker::lacking() const {
  std::vector<std::string> sentences;
  if (interrupts_ == Interrupts::soft)
    sentences.emplace_back(
        with_trace_points_
            ? "Interrupts are counted as soft interrupts only: trace points need CAP_PERFMON and a "
              "mounted tracefs (mount -t tracefs none /sys/kernel/tracing)."
            : "Interrupts are counted as soft interrupts only: this number of threads would need too many "
              "trace points.");
  if (interrupts_ == Interrupts::unknown)
    sentences.emplace_back("Interrupts are not counted: neither trace points nor /proc/softirqs can be read here.");
  if (!tells_run_delay_)
    sentences.emplace_back("Run delays are unknown: this kernel has no /proc/thread-self/schedstat.");
  if (!idle_.empty() && std::ranges::none_of(idle_, [](const Idle& idle) { return idle.time.known(); }))
    sentences.emplace_back("Whether a CPU slept is unknown: this kernel has no /sys/devices/system/cpu/cpu*/cpuidle.");
  return sentences;
}

}  // namespace threadping::platform

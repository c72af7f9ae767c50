#include "platform/evidence.hpp"

#include <sched.h>

#include <algorithm>

#include "platform/clock.hpp"

namespace threadping::platform {

Onlooker::Onlooker(std::span<const int> others, bool with_trace_points)
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
}

Look Onlooker::look() {
  Look look{.at_ns = now_ns(),
            .cpu = sched_getcpu(),
            .counters = read_quick_counters(),
            .run_delay_ns = run_delay_in(own_schedstat_.read()),
            .others_run_delay_ns = {},
            .interrupts = std::nullopt};
  for (std::size_t other = 0; other < others_schedstat_.size(); ++other)
    look.others_run_delay_ns[other] = run_delay_in(others_schedstat_[other].read());
  if (interrupts_ == Interrupts::trace_points) look.interrupts = trace_points_.read();
  if (interrupts_ == Interrupts::soft) look.interrupts = soft_interrupts_in(softirqs_.read(), look.cpu);
  return look;
}

Seen Onlooker::between(const Look& before, const Look& after) const {
  const bool same_count = interrupts_ == Interrupts::trace_points || before.cpu == after.cpu;
  Seen seen{.ns = after.at_ns - before.at_ns,
            .cpu_before = before.cpu,
            .cpu = after.cpu,
            .counters = after.counters - before.counters,
            .run_delay_ns = difference(after.run_delay_ns, before.run_delay_ns),
            .others_run_delay_ns = std::nullopt,
            .interrupts = same_count ? difference(after.interrupts, before.interrupts) : std::nullopt};
  for (std::size_t other = 0; other < others_schedstat_.size(); ++other)
    seen.others_run_delay_ns = std::max(
        seen.others_run_delay_ns, difference(after.others_run_delay_ns[other], before.others_run_delay_ns[other]));
  return seen;
}

std::vector<std::string> Onlooker::lacking() const {
  std::vector<std::string> sentences;
  if (interrupts_ == Interrupts::soft)
    sentences.emplace_back(with_trace_points_
                               ? "Interrupts are told by soft interrupts only: trace points need CAP_PERFMON and a "
                                 "mounted tracefs (mount -t tracefs none /sys/kernel/tracing)."
                               : "Interrupts are told by soft interrupts only: so many threads would need too many "
                                 "trace points.");
  if (interrupts_ == Interrupts::untold)
    sentences.emplace_back("Interrupts are not told: neither trace points nor /proc/softirqs can be read here.");
  if (!tells_run_delay_)
    sentences.emplace_back("Run delays are not told: this kernel has no /proc/thread-self/schedstat.");
  return sentences;
}

}  // namespace threadping::platform

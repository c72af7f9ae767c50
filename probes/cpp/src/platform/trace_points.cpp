#include "platform/trace_points.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>

namespace threadping::platform {
namespace {

/// The timer's, those by which one CPU calls upon another, and those of devices. What an architecture lacks is left
/// out.
constexpr std::array kKinds{
    "irq_vectors/local_timer_entry",          "irq_vectors/reschedule_entry", "irq_vectors/call_function_entry",
    "irq_vectors/call_function_single_entry", "irq/irq_handler_entry",
};

std::optional<std::uint64_t> id_of(const std::string& kind, const std::vector<std::string>& tracing) {
  for (const std::string& root : tracing)
    if (std::uint64_t id = 0; std::ifstream(root + "/events/" + kind + "/id") >> id) return id;
  return std::nullopt;
}

/// Negative where the kernel refuses.
int open_event(std::uint64_t id, int group) {
  constexpr int kThisThread = 0;
  constexpr int kAnyCpu = -1;
  perf_event_attr event{};
  event.type = PERF_TYPE_TRACEPOINT;
  event.size = sizeof event;
  event.config = id;
  event.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(syscall(SYS_perf_event_open, &event, kThisThread, kAnyCpu, group, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

TracePoints::TracePoints(const std::vector<std::string>& tracing) {
  for (const char* kind : kKinds) {
    const auto id = id_of(kind, tracing);
    if (!id) continue;
    const int event = open_event(*id, events_.empty() ? -1 : events_.front());
    if (event >= 0) events_.push_back(event);
  }
}

TracePoints::~TracePoints() {
  for (const int event : events_) close(event);
}

std::optional<std::uint64_t> TracePoints::read() const {
  if (events_.empty()) return std::nullopt;
  std::array<std::uint64_t, 1 + kKinds.size()> counts{};  // how many there are, and each
  if (::read(events_.front(), counts.data(), sizeof counts) <= 0) return std::nullopt;
  std::uint64_t sum = 0;
  for (std::size_t kind = 1; kind <= events_.size(); ++kind) sum += counts[kind];
  return sum;
}

}  // namespace threadping::platform

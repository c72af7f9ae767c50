#include <sched.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "crew/lead.hpp"
#include "crew/pace.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"

namespace threadping::crew {
namespace {

using message::Windows;

class FirstThread final : public Lead {
 public:
  FirstThread(const Scene& scene, Member& self, Recorder& recorder)
      : Lead(scene), self_(self), recorder_(recorder), durations_(visit_of(windows().plain, windows()).timed) {
    constexpr std::size_t kMostWindows = std::size_t{1} << 20;
    constexpr std::uint64_t kShortestVisit = 1'000;
    room_ = std::min<std::size_t>(kMostWindows, 2 * (request().measure_ns / kShortestVisit + 1024));
    // taken and touched now, so that nothing is while measuring
    for_each_column([&](auto& column) {
      column.resize(room_);
      column.clear();
    });
  }

  bool run() override {
    if (!order({.kind = Order::Kind::rest})) return false;
    const auto operation_ns = warm_up();
    if (!operation_ns) return false;
    return measure(fitted_visit(request(), *operation_ns));
  }

 private:
  /// What came of a visit: its windows, as far as they were completed.
  struct Visited {
    bool complete = false;
    std::uint64_t plain_ns = 0;
    std::uint64_t plain = 0;
    std::uint64_t timed = 0;  ///< So many durations stand in durations_.
    bool was_timing = false;
  };

  [[nodiscard]] std::size_t first_follower() const override { return 1; }
  void idle() const override { sched_yield(); }

  [[nodiscard]] const message::Request& request() const { return scene_.request; }
  [[nodiscard]] const message::WindowsRequest& windows() const { return scene_.request.windows; }
  [[nodiscard]] std::size_t threads() const { return scene_.boards.size(); }

  std::optional<double> warm_up();
  bool long_rounds(double operation_ns, std::uint64_t start);
  bool measure(const Visit& visit);
  void keep(std::uint32_t line, const Visited& visited);
  void keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops);
  Visited go(std::uint32_t line, const Visit& visit);
  std::uint64_t perform(std::uint32_t line, std::uint64_t count);

  template <class Each>
  void for_each_column(Each each) {
    Windows& columns = scene_.result.windows;
    columns.ops.resize(1);  // the others complete as many as this one
    each(columns.line);
    each(columns.kind);
    each(columns.ns);
    each(columns.ops.front());
  }

  Member& self_;
  Recorder& recorder_;
  std::vector<std::uint64_t> durations_;  ///< Of the visit in progress.
  std::size_t room_ = 0;                  ///< For so many windows.
  std::uint64_t ops_ = 0;                 ///< Its own, in this phase.
};

/// Visits that double in length until they take as long as a look, so that even threads that need a time slice for each
/// operation are noticed at once; then as many as the request wants, or its uninterrupted rounds, within its limit. One
/// long visit proves nothing: the first may have waited for somebody to be let onto its CPU. Gives what an operation of
/// each thread takes, the quickest visit's mean, since a slower one was disturbed; nothing if it was stopped.
std::optional<double> FirstThread::warm_up() {
  constexpr int kProof = 2;
  const message::WarmupRequest& warmup = request().warmup;
  const std::uint64_t wanted = warmup.rounds * warmup.ops;
  const std::uint64_t in_visits = warmup.uninterrupted ? 0 : wanted;
  const std::uint64_t start = platform::now_ns();
  std::uint64_t now = start;
  std::uint64_t plain = 1;
  int long_visits = 0;
  bool calibrated = false;
  bool complete = true;
  double quickest_ns = std::numeric_limits<double>::max();
  for (std::size_t step = 0;
       complete && (!calibrated || (ops_ * threads() < in_visits && now - start < warmup.limit_ns)); ++step) {
    const std::uint64_t before = now;
    const Visit visit = visit_of(plain, windows());
    complete = go(line_of(step), visit).complete;
    now = platform::now_ns();
    quickest_ns = std::min(quickest_ns, static_cast<double>(now - before) / static_cast<double>(visit.ops()));
    const bool is_long = now - before >= warmup.look_ns;
    if (is_long) ++long_visits;
    calibrated = calibrated || plain == windows().plain || long_visits == kProof;
    if (!is_long) plain = std::min(2 * plain, windows().plain);
  }
  if (complete && in_visits < wanted) complete = long_rounds(quickest_ns, start);
  message::Result& result = scene_.result;
  result.warmup_ops = std::exchange(ops_, 0) * threads();
  result.warmup_ns = platform::now_ns() - start;
  result.warmup_complete = result.warmup_ops >= wanted;
  if (!complete) return std::nullopt;
  return quickest_ns;
}

/// Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this pace. Where that was
/// disturbed and time is left, the round goes on. False if it was stopped.
bool FirstThread::long_rounds(double operation_ns, std::uint64_t start) {
  const message::WarmupRequest& warmup = request().warmup;
  for (std::uint64_t round = 0; round < warmup.rounds; ++round) {
    const std::uint32_t line = line_of(round);
    std::uint64_t left = (warmup.ops + threads() - 1) / threads();
    while (left > 0) {
      const std::uint64_t passed = platform::now_ns() - start;
      if (passed >= warmup.limit_ns) return true;
      const double affordable = static_cast<double>(warmup.limit_ns - passed) / std::max(operation_ns, 1.0);
      const std::uint64_t count = std::min(left, static_cast<std::uint64_t>(affordable) + 1);
      if (!give({.kind = Order::Kind::work, .line = line, .count = count}) || perform(line, count) < count)
        return false;
      left -= count;
    }
  }
  return true;
}

bool FirstThread::measure(const Visit& visit) {
  insist(Order::Kind::prepare);
  self_.prepare();
  const platform::CpuSet all_cpus = cpus();
  const auto machine_before = platform::read_machine_counters(all_cpus);
  insist(Order::Kind::begin);
  self_.begin();

  message::Result& result = scene_.result;
  const std::uint64_t start = platform::now_ns();
  std::uint64_t now = start;
  bool complete = true;
  for (std::size_t step = 0; complete && now - start < request().measure_ns && result.windows.ns.size() + 1 < room_;
       ++step) {
    const Visited visited = go(line_of(step), visit);
    keep(line_of(step), visited);
    complete = visited.complete;
    now = platform::now_ns();
  }

  self_.end();
  insist(Order::Kind::end);
  result.machine = platform::read_machine_counters(all_cpus) - machine_before;
  self_.finish();
  insist(Order::Kind::finish);
  result.measured_ns = now - start;
  result.measured_ops = ops_ * threads();
  result.windows.ops.resize(threads(), result.windows.ops.front());
  return complete;
}

/// Nothing that was timed is dropped: a window that was stopped is kept as far as it came.
void FirstThread::keep(std::uint32_t line, const Visited& visited) {
  keep(line, Windows::Kind::plain, visited.plain_ns, visited.plain);
  const auto durations = std::span(durations_).first(visited.timed);
  for (const std::uint64_t duration : durations) recorder_.record(duration);
  keep(line, Windows::Kind::timed, std::reduce(durations.begin(), durations.end()), visited.timed);
  if (visited.was_timing && !visited.complete) recorder_.censor();
}

void FirstThread::keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops) {
  if (ops == 0) return;
  Windows& columns = scene_.result.windows;
  columns.line.push_back(line);
  columns.kind.push_back(kind);
  columns.ns.push_back(std::max<std::uint64_t>(ns, 1));
  columns.ops.front().push_back(ops);
}

/// Takes the others along to `line` and performs there, as `visit` says. The timed window begins with the reading that
/// ends the plain one.
FirstThread::Visited FirstThread::go(std::uint32_t line, const Visit& visit) {
  Visited visited;
  if (!give({.kind = Order::Kind::work, .line = line, .count = visit.ops()})) return visited;
  if (perform(line, visit.lead_in) < visit.lead_in) return visited;

  const std::uint64_t opened_ns = platform::now_ns();
  visited.plain = perform(line, visit.plain);
  const std::uint64_t closed_ns = platform::now_ns();
  visited.plain_ns = closed_ns - opened_ns;
  if (visited.plain < visit.plain) return visited;

  visited.was_timing = true;
  visited.timed = scene_.loops.timed(0, line, closed_ns, std::span(durations_).first(visit.timed));
  ops_ += visited.timed;
  visited.complete = visited.timed == visit.timed;
  return visited;
}

std::uint64_t FirstThread::perform(std::uint32_t line, std::uint64_t count) {
  const std::uint64_t done = scene_.loops.plain(0, line, count);
  ops_ += done;
  return done;
}

}  // namespace

std::unique_ptr<Lead> first_thread(const Scene& scene, Member& self, Recorder& recorder) {
  return std::make_unique<FirstThread>(scene, self, recorder);
}

}  // namespace threadping::crew

#include <sched.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/lead.hpp"
#include "engine/pace.hpp"
#include "platform/clock.hpp"

namespace threadping::engine {
namespace {

using contract::Windows;

class FirstThread final : public Lead {
 public:
  FirstThread(Scene& scene, Member& self)
      : Lead(scene, &self), self_(self), timings_(visit_of(request().windows.plain, request().windows).timed) {
    constexpr std::uint64_t kShortestVisit = 5'000;
    const auto room = std::min<std::size_t>(kMostWindows, 2 * (request().measure_ns / kShortestVisit) + 1024);
    windows().ops.resize(threads());  // taken and touched now, so that nothing is while measuring
    const auto take = [&](auto& column) {
      column.resize(room);
      column.clear();
    };
    take(windows().line);
    take(windows().kind);
    take(windows().ns);
    for (auto& column : windows().ops) take(column);
  }

 private:
  /// What came of a visit: its windows, as far as they were completed.
  struct Visited {
    bool complete = false;
    std::uint64_t plain_ns = 0;
    std::uint64_t plain = 0;
    std::uint64_t timed = 0;  ///< So many stand in timings_.
    bool was_timing = false;
  };

  void idle() const override { sched_yield(); }
  [[nodiscard]] std::uint64_t ops() const override { return ops_ * threads(); }
  bool warm_up() override;
  bool visit(std::size_t step) override;

  [[nodiscard]] std::size_t threads() const { return scene_.boards.size(); }

  bool long_rounds(double operation_ns, std::uint64_t start);
  void keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops);
  Visited go(std::uint32_t line, const Visit& visit);
  Visited perform(std::uint32_t line, const Visit& visit);
  std::uint64_t perform(std::uint32_t line, std::uint64_t count);

  Member& self_;
  std::vector<Timing> timings_;  ///< Of the visit in progress.
  Visit visit_{};                ///< What every visit takes, once that is known.
  std::uint64_t ops_ = 0;        ///< Its own; all others do as many.
};

/// Visits that double in length until they take as long as a look, so that even threads that need a time slice for each
/// operation are noticed at once; then as many as the request wants, or its uninterrupted rounds, within its limit. One
/// long visit proves nothing: the first may have waited for somebody to be let onto its CPU. The quickest one tells
/// what an operation of each thread takes: a slower one was disturbed.
bool FirstThread::warm_up() {
  constexpr int kProof = 2;
  const contract::WarmupRequest& warmup = request().warmup;
  const std::uint64_t wanted = warmup.rounds * warmup.ops;
  const std::uint64_t in_visits = warmup.uninterrupted ? 0 : wanted;
  const std::uint64_t start = platform::now_ns();
  std::uint64_t now = start;
  std::uint64_t plain = 1;
  int long_visits = 0;
  bool calibrated = false;
  bool complete = true;
  double quickest_ns = std::numeric_limits<double>::max();
  for (std::size_t step = 0; complete && (!calibrated || (ops() < in_visits && now - start < warmup.limit_ns));
       ++step) {
    const std::uint64_t before = now;
    const Visit visit = visit_of(plain, request().windows);
    complete = go(line_of(step), visit).complete;
    now = platform::now_ns();
    quickest_ns = std::min(quickest_ns, static_cast<double>(now - before) / static_cast<double>(visit.ops()));
    const bool is_long = now - before >= warmup.look_ns;
    if (is_long) ++long_visits;
    calibrated = calibrated || plain == request().windows.plain || long_visits == kProof;
    if (!is_long) plain = std::min(2 * plain, request().windows.plain);
  }
  visit_ = fitted_visit(request(), quickest_ns);
  if (!complete || (in_visits < wanted && !long_rounds(quickest_ns, start))) return false;
  if (!order({.kind = Order::Kind::rest})) return false;
  scene_.loops->warmed_up();
  return true;
}

/// Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this pace. Where that was
/// disturbed and time is left, the round goes on. False if it was stopped.
bool FirstThread::long_rounds(double operation_ns, std::uint64_t start) {
  const contract::WarmupRequest& warmup = request().warmup;
  for (std::uint64_t round = 0; round < warmup.rounds; ++round) {
    const std::uint32_t line = line_of(round);
    std::uint64_t left = (warmup.ops + threads() - 1) / threads();
    while (left > 0) {
      const std::uint64_t passed = platform::now_ns() - start;
      if (passed >= warmup.limit_ns) return true;
      const double affordable = static_cast<double>(warmup.limit_ns - passed) / std::max(operation_ns, 1.0);
      const std::uint64_t count = std::min(left, static_cast<std::uint64_t>(affordable) + 1);
      if (!give({.kind = Order::Kind::work, .line = line, .count = count})) return false;
      const std::uint64_t done = perform(line, count);
      scene_.loops->leave(0, line);
      if (done < count) return false;
      left -= count;
    }
  }
  return true;
}

/// Nothing that was timed is dropped: a window that was stopped is kept as far as it came.
bool FirstThread::visit(std::size_t step) {
  const std::uint32_t line = line_of(step);
  self_.begin_timing();
  const Visited visited = go(line, visit_);
  const auto timings = std::span(timings_).first(visited.timed);
  self_.keep(timings);
  keep(line, Windows::Kind::plain, visited.plain_ns, visited.plain);
  const std::uint64_t timed_ns =
      std::transform_reduce(timings.begin(), timings.end(), std::uint64_t{0}, std::plus{}, std::mem_fn(&Timing::ns));
  keep(line, Windows::Kind::timed, timed_ns, visited.timed);
  if (visited.was_timing && !visited.complete) self_.recorder().censor();
  return visited.complete;
}

void FirstThread::keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops) {
  if (ops == 0) return;
  windows().line.push_back(line);
  windows().kind.push_back(kind);
  windows().ns.push_back(std::max<std::uint64_t>(ns, 1));
  for (auto& column : windows().ops) column.push_back(ops);
}

/// Takes the others along to `line` and performs there.
FirstThread::Visited FirstThread::go(std::uint32_t line, const Visit& visit) {
  if (!give({.kind = Order::Kind::work, .line = line, .count = visit.ops()})) return {};
  const Visited visited = perform(line, visit);
  scene_.loops->leave(0, line);
  return visited;
}

/// As `visit` says. The timed window begins with the reading that ends the plain one.
FirstThread::Visited FirstThread::perform(std::uint32_t line, const Visit& visit) {
  Visited visited;
  if (perform(line, visit.lead_in) < visit.lead_in) return visited;

  const std::uint64_t opened_ns = platform::now_ns();
  visited.plain = perform(line, visit.plain);
  const std::uint64_t closed_ns = platform::now_ns();
  visited.plain_ns = closed_ns - opened_ns;
  if (visited.plain < visit.plain) return visited;

  visited.was_timing = true;
  visited.timed = scene_.loops->timed(0, line, closed_ns, std::span(timings_).first(visit.timed));
  ops_ += visited.timed;
  visited.complete = visited.timed == visit.timed;
  return visited;
}

std::uint64_t FirstThread::perform(std::uint32_t line, std::uint64_t count) {
  const std::uint64_t done = scene_.loops->plain(0, line, count);
  ops_ += done;
  return done;
}

}  // namespace

std::unique_ptr<Lead> first_thread(Scene& scene, Member& self) { return std::make_unique<FirstThread>(scene, self); }

}  // namespace threadping::engine

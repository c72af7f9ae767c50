#include <sched.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "engine/lead.hpp"
#include "platform/clock.hpp"

namespace threadping::engine {
namespace {

using contract::Windows;

class FirstThread final : public Lead {
 public:
  /// It compares two stretches of the same lines to decide whether the pace is steady. Memory for the windows is
  /// allocated and touched now, so that nothing is while measuring.
  FirstThread(Scene& scene, Worker& self)
      : Lead(scene, &self, std::max<std::size_t>(4, scene.request.lines)), self_(self), ops_of_each_(threads()) {
    constexpr std::uint64_t kShortestVisit = 5'000;
    const std::uint64_t time = request().measure_ns + request().warmup.limit_ns;
    const auto capacity = std::min<std::size_t>(kMostWindows, 2 * (time / kShortestVisit) + 1024);
    const auto take = [&](auto& column) {
      column.resize(capacity);
      column.clear();
    };
    take(windows().warmup);
    take(windows().line);
    take(windows().kind);
    take(windows().every);
    take(windows().ns);
    for (auto& column : windows().ops) take(column);
    if (auto& column = windows().cpus) take(*column);
  }

 private:
  void idle() const override { sched_yield(); }
  [[nodiscard]] std::uint64_t ops() const override { return scene_.boards[0].ops * threads(); }  // all do as many
  std::optional<double> calibrate(std::uint64_t until_ns) override;
  bool perform(std::uint32_t line, std::uint64_t count) override;
  bool visit(std::size_t step) override;

  [[nodiscard]] std::size_t threads() const { return scene_.boards.size(); }
  void keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops);
  Visited go(std::uint32_t line, const Visit& visit);
  void refit(const Visited& visited);

  Worker& self_;
  std::vector<std::uint64_t> ops_of_each_;
  Visit visit_{};                                            ///< What every visit takes, once that is known.
  double quickest_ns_ = std::numeric_limits<double>::max();  ///< An operation, in this stretch of the warm-up.
  std::size_t visits_ = 0;
};

/// Visits that double in length until they take as long as a look, so that even threads that need a time slice for each
/// operation are noticed at once. One long visit proves nothing: the first may have waited for somebody to be let onto
/// its CPU. The fastest one shows what an operation of each thread takes: a slower one was disturbed.
std::optional<double> FirstThread::calibrate(std::uint64_t /*until_ns*/) {
  constexpr int kProof = 2;
  const contract::WindowsRequest& wanted = request().windows;
  std::uint64_t length = 1;
  int long_visits = 0;
  double quickest_ns = std::numeric_limits<double>::max();
  for (std::size_t step = 0; long_visits < kProof; ++step) {
    const Visit visit = visit_of(length, wanted);
    const std::uint64_t before = platform::now_ns();
    if (!go(line_of(step), visit).completed(visit)) return std::nullopt;
    self_.recorder().take();
    const std::uint64_t ns = platform::now_ns() - before;
    quickest_ns = std::min(quickest_ns, static_cast<double>(ns) / static_cast<double>(visit.ops()));
    if (length == wanted.throughput) break;
    if (ns >= request().warmup.look_ns)
      ++long_visits;
    else
      length = std::min(2 * length, wanted.throughput);
  }
  visit_ = fitted_visit(request(), quickest_ns);
  return quickest_ns;
}

bool FirstThread::perform(std::uint32_t line, std::uint64_t count) {
  const Visit round{.lead_in = 0, .throughput = count, .sampling = 0, .whole = true};
  return go(line, round).completed(round);
}

/// Nothing that was timed is dropped: a window that was stopped is kept as far as it came.
bool FirstThread::visit(std::size_t step) {
  const std::uint32_t line = line_of(step);
  self_.recorder().begin(true);
  self_.recorder().about_to_time();
  const Visited visited = go(line, visit_);
  self_.recorder().take();
  keep(line, Windows::Kind::throughput, visited.throughput_ns, visited.throughput);
  keep(line, Windows::Kind::sampling, visited.sampling_ns, visited.sampling);
  const bool complete = visited.completed(visit_);
  if (!complete && visited.throughput == visit_.throughput) self_.recorder().censor();
  if (complete && !measuring() && scene_.host.managed()) refit(visited);
  return complete;
}

/// Operations become faster while a managed runtime compiles them: once a stretch, visits are fitted anew.
void FirstThread::refit(const Visited& visited) {
  quickest_ns_ = std::min(quickest_ns_, static_cast<double>(visited.throughput_ns + visited.sampling_ns) /
                                            static_cast<double>(visited.throughput + visited.sampling));
  if (++visits_ % stretch() != 0) return;
  const Visit fitted = fitted_visit(request(), std::exchange(quickest_ns_, std::numeric_limits<double>::max()));
  visit_ = refitted(visit_, fitted);
}

void FirstThread::keep(std::uint32_t line, Windows::Kind kind, std::uint64_t ns, std::uint64_t ops) {
  if (ops == 0) return;
  std::ranges::fill(ops_of_each_, ops);
  add_window(line, kind, 1, ns, ops_of_each_);
}

/// Takes the others along to `line` and has a visit made there.
Visited FirstThread::go(std::uint32_t line, const Visit& visit) {
  if (!give({.line = line, .count = visit.ops(), .whole = visit.whole})) return {};
  return scene_.host.visit(self_, line, visit);
}

}  // namespace

std::unique_ptr<Lead> first_thread(Scene& scene, Worker& self) { return std::make_unique<FirstThread>(scene, self); }

}  // namespace threadping::engine

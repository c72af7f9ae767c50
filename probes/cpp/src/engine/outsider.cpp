#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "engine/lead.hpp"
#include "platform/clock.hpp"

namespace threadping::engine {
namespace {

using contract::Windows;

constexpr std::size_t kStretch = 4;  ///< Throughput windows by which it decides whether the pace is steady.

class Outsider final : public Lead {
 public:
  explicit Outsider(Scene& scene) : Lead(scene, nullptr, kStretch) {
    if (scene.host.kernel_knows_threads()) windows().switches.emplace();
  }

 private:
  /// The time, and what each worker has done until then.
  struct Counts {
    std::uint64_t ns;
    std::vector<std::uint64_t> ops;
    std::vector<std::uint64_t> readings;
  };

  void idle() const override { std::this_thread::sleep_for(std::chrono::microseconds(20)); }
  [[nodiscard]] std::uint64_t ops() const override { return scene_.ops(); }
  std::optional<double> calibrate(std::uint64_t until_ns) override;
  bool perform(std::uint32_t line, std::uint64_t count) override;
  [[nodiscard]] Order between_windows() const override {
    if (!scene_.experiment.stream) return {};
    return {.chunk = chunk_, .every = scene_.experiment.open_loop ? every_ : 0};
  }
  bool visit(std::size_t step) override;

  bool open_window(Windows::Kind kind, std::uint32_t line, std::uint64_t ns);
  bool start_together(Windows::Kind kind, std::uint32_t line);
  void sleep_until(std::uint64_t ns) const;
  [[nodiscard]] Counts read() const;
  [[nodiscard]] double operation_ns(const Counts& from, const Counts& to) const;
  [[nodiscard]] double largest_clock_share(const Counts& from, const Counts& to) const;

  void fit_chunk(double operation_ns);
  std::optional<double> quickest_loop();

  std::uint64_t chunk_ = 1;
  std::uint32_t every_ = 1;
  std::array<double, 4> latest_ns_{};  ///< What an operation took in the latest stretches.
  std::size_t stretches_ = 0;
};

/// Looks that tell how long an operation takes, for the chunk and for how often one is timed at first. At least one,
/// and none that begins after `until_ns`.
std::optional<double> Outsider::calibrate(std::uint64_t until_ns) {
  const contract::WindowsRequest& wanted = request().windows;
  for (;;) {
    if (!start_together(Windows::Kind::throughput, line_of(0))) return std::nullopt;
    const Counts before = read();
    sleep_until(before.ns + request().warmup.look_ns);
    const double took_ns = operation_ns(before, read());
    every_ = first_every(took_ns, scene_.result.clock.cost_ns, wanted.clock_share);
    const std::uint64_t last = chunk_;
    fit_chunk(took_ns);
    if (chunk_ > last && platform::now_ns() < until_ns) continue;
    return request().warmup.uninterrupted && scene_.host.managed() ? quickest_loop() : took_ns;
  }
}

/// What an operation takes in one loop, which a managed runtime compiles anew: the fastest of some, each twice as
/// long.
std::optional<double> Outsider::quickest_loop() {
  constexpr int kProof = 2;
  double quickest_ns = std::numeric_limits<double>::max();
  for (std::uint64_t count = 1, long_loops = 0; long_loops < kProof; count *= 2) {
    const std::uint64_t before = platform::now_ns();
    if (!perform(line_of(0), count)) return std::nullopt;
    const std::uint64_t ns = platform::now_ns() - before;
    quickest_ns = std::min(quickest_ns, static_cast<double>(ns) / static_cast<double>(count));
    if (ns >= request().warmup.look_ns) ++long_loops;
  }
  return quickest_ns;
}

bool Outsider::perform(std::uint32_t line, std::uint64_t count) {
  Order all_together = between_windows();
  all_together.line = line;
  all_together.count = count;
  all_together.whole = true;
  if (!order(all_together)) return false;
  while (!all(&Board::finished)) {
    if (!goes_on()) return false;
    idle();
  }
  return true;
}

/// A throughput and a sampling window on one line; false if the bound has passed. The order of the two alternates, so
/// that what drifts falls on both alike.
bool Outsider::visit(std::size_t step) {
  const std::uint32_t line = line_of(step);
  const auto throughput = [&] { return open_window(Windows::Kind::throughput, line, request().windows.throughput); };
  const auto sampling = [&] { return open_window(Windows::Kind::sampling, line, request().windows.sampling); };
  return step % 2 == 1 ? sampling() && throughput() : throughput() && sampling();
}

/// A window of this length, or until the bound, which it then returns false for.
bool Outsider::open_window(Windows::Kind kind, std::uint32_t line, std::uint64_t ns) {
  if (!start_together(kind, line)) return false;
  const std::uint64_t switches_before = switches();
  const Counts before = read();  // outside the gate, so that the window holds all that is recorded in it
  scene_.gate->open(platform::now_ns());
  sleep_until(before.ns + ns);
  scene_.gate->close(platform::now_ns());
  const Counts after = read();
  std::vector<std::uint64_t> ops(after.ops.size());
  std::ranges::transform(after.ops, before.ops, ops.begin(), std::minus{});
  add_window(line, kind, every_, after.ns - before.ns, ops);
  count_switches_from(switches_before);
  fit_chunk(operation_ns(before, after));
  if (kind == Windows::Kind::sampling)
    every_ = next_every(every_, largest_clock_share(before, after), request().windows.clock_share);
  return goes_on();
}

/// Orders all workers to the line, where all of them are when this returns. A stream flows meanwhile. All others
/// come to rest before: one that is starved of a lock would not poll its orders as long as the others go on, and a
/// spinning thread that shares its CPU with the lock's holder can wait for seconds. False if the bound passed first.
bool Outsider::start_together(Windows::Kind kind, std::uint32_t line) {
  const bool times = kind == Windows::Kind::sampling || scene_.experiment.open_loop;
  return (scene_.experiment.stream || order({})) && order({.line = line, .chunk = chunk_, .every = times ? every_ : 0});
}

void Outsider::sleep_until(std::uint64_t ns) const {
  const std::uint64_t now = platform::now_ns();
  const std::uint64_t end = std::min(ns, scene_.deadline_ns);
  if (end > now) std::this_thread::sleep_for(std::chrono::nanoseconds(end - now));
}

Outsider::Counts Outsider::read() const {
  Counts now{.ns = platform::now_ns(), .ops = {}, .readings = {}};
  for (const Board& board : scene_.boards) {
    now.ops.push_back(board.ops.load(std::memory_order_relaxed));
    now.readings.push_back(board.readings.load(std::memory_order_relaxed));
  }
  return now;
}

/// Where threads share CPUs one may have been alone in a stretch, at a pace that is not theirs: a chunk that fitted it
/// would take seconds when they contend for a lock that they hand to each other. So the slowest of the latest counts.
void Outsider::fit_chunk(double operation_ns) {
  latest_ns_[stretches_++ % latest_ns_.size()] = operation_ns;
  const bool crowded = scene_.running < scene_.boards.size();
  const double slowest_ns = crowded ? *std::ranges::max_element(latest_ns_) : operation_ns;
  chunk_ = next_chunk(slowest_ns, chunk_, request().windows.chunk_ns);
}

double Outsider::operation_ns(const Counts& from, const Counts& to) const {
  return ns_an_operation(to.ns - from.ns,
                         std::reduce(to.ops.begin(), to.ops.end()) - std::reduce(from.ops.begin(), from.ops.end()),
                         scene_.running);
}

/// The share of the thread that reads the clock most.
double Outsider::largest_clock_share(const Counts& from, const Counts& to) const {
  std::uint64_t most = 0;
  for (std::size_t thread = 0; thread < to.readings.size(); ++thread)
    most = std::max(most, to.readings[thread] - from.readings[thread]);
  return clock_share(most, scene_.result.clock.cost_ns, to.ns - from.ns,
                     static_cast<double>(scene_.running) / static_cast<double>(to.readings.size()));
}

}  // namespace

std::unique_ptr<Lead> outsider(Scene& scene) { return std::make_unique<Outsider>(scene); }

}  // namespace threadping::engine

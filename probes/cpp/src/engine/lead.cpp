#include "engine/lead.hpp"

#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "platform/clock.hpp"
#include "platform/counters.hpp"

namespace threadping::engine {

using contract::WarmupEnd;
using contract::Windows;

namespace {

/// Before a runtime has compiled its loops it can keep a pace for some milliseconds: its compiler waits for a CPU,
/// which two threads that spin on two CPUs seldom give away. With stretches of 1 ms, as of a single line, warm-ups
/// ended after 18 ms, and in all of thirteen trials the pace then rose by 20 to 50%; with these after 120 ms, and in
/// none of ten.
constexpr double kManagedStretchNs = 15e6;

}  // namespace

Lead::Lead(Scene& scene, Worker* self, std::size_t stretch)
    : scene_(scene),
      self_(self),
      stretch_(stretch),
      steadiness_(stretch, scene.host.managed() ? kManagedStretchNs : 0),
      route_(scene.request.lines) {
  std::iota(route_.begin(), route_.end(), 0U);
  std::ranges::shuffle(route_, std::mt19937_64(scene.request.seed));
  windows().ops.resize(scene.boards.size());
  cpus_now_.reserve(scene.boards.size());
  if (may_share(scene.request) && scene.host.kernel_knows_threads()) windows().cpus.emplace();
  if (!scene.host.managed()) return;
  scene.result.managed = contract::Managed{};
  if (scene.host.upkeep().compile_ms) {
    windows().compile_ms.emplace();
    scene.result.managed->compile_ms = 0;
  }
}

bool Lead::run() {
  if (!order({})) return false;
  for (const Board& board : scene_.boards) cpus_ = platform::united(cpus_, board.cpus_start.cpus());
  contract::Result& result = scene_.result;
  prepare();
  const std::uint64_t start = platform::now_ns();
  const bool warm = warm_up() && ping() && order(between_windows());
  result.warmup_ns = platform::now_ns() - start - rested_ns_ - pinged_ns_;
  if (auto& managed = result.managed; compilers_ && managed) managed->rested_ns = rested_ns_;
  result.warmup_ops = ops();
  const bool complete = warm && measure();
  if (!warm) result.warmup_ended = WarmupEnd::limit;
  // No worker may miss an order that others obey, or these would wait for it. A lead that is a worker itself obeys no
  // more either.
  if (!warm && self_ == nullptr)
    while (!all(&Board::obeyed)) idle();
  return complete;
}

/// Whatever takes long, the first reading of a file among it, comes before the warm-up: after a pause of 0.2 ms between
/// warm-up and measuring, blocked threads were woken in 80% of the time for 20 ms (`condition`, KVM, whose idle CPUs
/// poll for as long before they halt).
void Lead::prepare() {
  insist(Order::Reading::prepare);
  static_cast<void>(platform::read_machine_counters(cpus_));
}

/// The very windows that will be measured, for as many operations as the request wants and until their pace is steady.
/// Time in which the threads sleep counts for nothing.
bool Lead::warm_up() {
  const contract::WarmupRequest& wanted = request().warmup;
  const std::uint64_t end = platform::now_ns() + wanted.limit_ns;
  const std::optional<double> operation_ns = calibrate(end);
  if (!operation_ns || (wanted.uninterrupted && !long_rounds(*operation_ns, end))) return false;
  upkeep_ = scene_.host.upkeep();
  compilers_ = scene_.host.compilers();
  // A JIT leaves out of its code what has not run yet, and compiles all of it once more when that runs: both kinds of
  // windows come before the first rest. With eight visits in place of none the rests of `spin-barrier` fell from 402 to
  // 240 ms, those of `disruptor` from 368 to 254 (Java 17, medians of eight trials). Where visits are long, one is
  // enough by half of the time.
  constexpr std::size_t kVisitsBeforeALook = 8;
  for (std::size_t step = 0;; ++step) {
    WarmupEnd& ended = scene_.result.warmup_ended;
    const bool enough = ops() >= wanted.rounds * wanted.ops;
    const auto steady = [&] {
      return enough && steadiness_.reached(*wanted.steady) && !(compilers_ && compilers_->awake);
    };
    if (enough && !wanted.steady) return ended = WarmupEnd::rounds, true;
    const bool is_late = step > 0 && platform::now_ns() >= end + rested_ns_ - wanted.limit_ns / 2;
    const bool may_look = compilers_ && wanted.steady && (step >= kVisitsBeforeALook || is_late);
    if (may_look && (steady() || platform::now_ns() >= next_look_ns_) && !await_compilers()) return false;
    if (steady()) return ended = WarmupEnd::steady, true;
    if (platform::now_ns() >= end + rested_ns_ || windows().ns.size() >= kMostWindows / 2)
      return ended = WarmupEnd::limit, true;
    if (!visit(step)) return false;
  }
}

/// Threads that spin on every CPU keep a compiler from its own: they sleep while it has work, at most for twice as long
/// as they may warm up, and for half of the time that the bound leaves. A stream that has a schedule goes on, or it
/// would be behind it afterwards. False if the bound passed first. Threads that block are woken faster for some
/// milliseconds after all have slept: no pace of theirs.
bool Lead::await_compilers() {
  constexpr std::uint64_t kRest = 2'000'000;
  constexpr std::uint64_t kBetweenLooks = 5'000'000;
  constexpr std::uint64_t kTimeForALook = 20;
  constexpr std::uint64_t kTimesTheLimit = 2;
  const std::uint64_t limit_ns = request().warmup.limit_ns;
  const std::uint64_t planned_ns = limit_ns + request().measure_ns;
  const std::uint64_t left_ns = request().bound_ns - std::min(request().bound_ns, planned_ns);
  const std::uint64_t most_ns = std::min(left_ns / 2, kTimesTheLimit * limit_ns);
  const auto look = [&] {
    const platform::Activity before = compilers_.value_or(platform::Activity{});
    compilers_ = scene_.host.compilers().value_or(platform::Activity{});
    steadiness_.compiled(compilers_->cpu_ns - std::min(compilers_->cpu_ns, before.cpu_ns));
  };
  const std::uint64_t start = platform::now_ns();
  look();
  const std::uint64_t looked = platform::now_ns();
  std::uint64_t now = looked;
  for (; compilers_ && compilers_->awake && rested_ns_ + (now - looked) < most_ns; now = platform::now_ns()) {
    Order rest = between_windows();
    rest.rest_ns = kRest;
    if (!scene_.experiment.open_loop && !give(rest)) return false;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kRest));
    if (!goes_on()) return false;
    look();
  }
  if (scene_.blocking && now > looked) steadiness_.during(0, true);
  rested_ns_ += now - looked;
  next_look_ns_ = now + std::max(kBetweenLooks, kTimeForALook * (looked - start));
  return true;
}

/// A virtual machine's host moves its CPUs within 100 ms: what is pinged right before and after measuring
/// says where they were meanwhile, and not during a JVM's start. The workers sleep, but where they have a schedule, and
/// make one more visit then. False if it was stopped.
bool Lead::ping() {
  constexpr std::uint64_t kRest = 1'000'000;
  if (request().pings.empty() || scene_.experiment.open_loop) return true;
  const std::uint64_t start = platform::now_ns();
  for (const auto& cpus : request().pings) {
    Order rest = between_windows();
    rest.rest_ns = kRest;
    if (!give(rest)) return false;
    scene_.ping(cpus, false);
  }
  if (!await_obedience()) return false;
  pinged_ns_ = platform::now_ns() - start;
  return visit(0);
}

/// Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this pace. Where that was
/// disturbed and time is left, the round goes on. False if it was stopped.
bool Lead::long_rounds(double operation_ns, std::uint64_t end_ns) {
  const contract::WarmupRequest& wanted = request().warmup;
  const std::uint64_t counting = scene_.sum([](std::size_t /*thread*/) { return 1U; });
  for (std::uint64_t round = 0; round < wanted.rounds; ++round) {
    for (std::uint64_t left = (wanted.ops + counting - 1) / counting; left > 0;) {
      const std::uint64_t now = platform::now_ns();
      if (now >= end_ns) return true;
      const double affordable = static_cast<double>(end_ns - now) / std::max(operation_ns, 1.0);
      const std::uint64_t count = std::min(left, static_cast<std::uint64_t>(affordable) + 1);
      if (!perform(line_of(round), count)) return false;
      left -= count;
    }
  }
  return true;
}

/// A window is over: what a managed runtime did since the last was in this one. By those of the warm-up is decided
/// whether it is over.
void Lead::note(std::uint64_t ns, bool throughput, std::uint64_t ops) {
  const contract::Managed now = scene_.host.upkeep();
  const std::uint64_t compiled_ms = now.compile_ms.value_or(0) - upkeep_.compile_ms.value_or(0);
  const bool collected = now.collections > upkeep_.collections;
  upkeep_ = now;
  if (auto& column = windows().compile_ms) column->push_back(compiled_ms);
  if (measuring_) return;
  steadiness_.during(ns, collected || ops == 0);
  if (!compilers_) steadiness_.compiled(1'000'000 * compiled_ms);
  if (throughput) steadiness_.add(ns_an_operation(ns, ops, 1));
}

/// Makes visits for as long as the request wants, and counts what happens meanwhile.
bool Lead::measure() {
  contract::Result& result = scene_.result;
  measuring_ = true;
  const auto machine_before = platform::read_machine_counters(cpus_);
  const contract::Managed upkeep_before = scene_.host.upkeep();
  insist(Order::Reading::begin);
  const std::uint64_t ops_before = ops();
  const std::uint64_t start = platform::now_ns();
  bool complete = true;
  for (std::size_t step = 0;
       complete && platform::now_ns() - start < request().measure_ns && windows().ns.size() < kMostWindows; ++step)
    complete = visit(step);
  insist(Order::Reading::end);
  result.measured_ns = platform::now_ns() - start;
  const auto by_each = [this](std::size_t thread) { return scene_.boards[thread].measured_ops; };
  result.measured_ops = self_ == nullptr ? scene_.sum(by_each) : ops() - ops_before;
  if (result.managed) {
    const contract::Managed upkeep = scene_.host.upkeep();
    result.managed->compile_ms = platform::difference(upkeep.compile_ms, upkeep_before.compile_ms);
    result.managed->collections = upkeep.collections - upkeep_before.collections;
  }
  result.machine = platform::read_machine_counters(cpus_) - machine_before;
  insist(Order::Reading::finish);
  return complete;
}

bool Lead::give(const Order& order) {
  if (!goes_on() || !await_obedience()) return false;
  ++number_;
  scene_.orders->give(order);
  return true;
}

bool Lead::order(const Order& order) { return give(order) && await_obedience(); }

void Lead::insist(Order::Reading reading) {
  while (!all(&Board::obeyed)) idle();
  ++number_;
  Order order = between_windows();
  order.reading = reading;
  scene_.orders->give(order);
  if (self_ != nullptr) self_->read(reading);
  while (!all(&Board::finished)) idle();
  all_have_taken_it_up();
}

bool Lead::goes_on() const { return platform::now_ns() < scene_.deadline_ns && !scene_.some_worker_failed(); }

bool Lead::await_obedience() {
  while (!all(&Board::obeyed)) {
    if (!goes_on()) return false;
    idle();
  }
  all_have_taken_it_up();
  return true;
}

bool Lead::all(const std::atomic<std::uint64_t> Board::* progress) const {
  return std::all_of(scene_.boards.begin() + (self_ == nullptr ? 0 : 1), scene_.boards.end(),
                     [&](const Board& board) { return (board.*progress).load(std::memory_order_acquire) >= number_; });
}

void Lead::add_window(std::uint32_t line, Windows::Kind kind, std::uint32_t every, std::uint64_t ns,
                      std::span<const std::uint64_t> ops) {
  windows().warmup.push_back(!measuring_);
  windows().line.push_back(line);
  windows().kind.push_back(kind);
  windows().every.push_back(kind == Windows::Kind::throughput ? 0 : every);
  windows().ns.push_back(std::max<std::uint64_t>(ns, 1));
  for (std::size_t thread = 0; thread < ops.size(); ++thread) windows().ops[thread].push_back(ops[thread]);
  number_of_window_ = number_;
  if (auto& column = windows().cpus) {
    if (self_ != nullptr) self_->look_where_it_stands();
    column->push_back(count_cpus());
  }
  if (measuring_ && !windows().compile_ms) return;
  note(windows().ns.back(), kind == Windows::Kind::throughput,
       scene_.sum([&](std::size_t thread) { return ops[thread]; }));
}

std::uint64_t Lead::switches() const {
  std::uint64_t sum = 0;
  for (const Board& board : scene_.boards) sum += board.switches.load(std::memory_order_relaxed);
  return sum;
}

void Lead::count_switches_from(std::uint64_t before) {
  switches_before_ = before;
  if (auto& column = windows().switches) column->push_back(0);
}

void Lead::all_have_taken_it_up() {
  if (number_ <= number_of_window_) return;
  number_of_window_ = UINT64_MAX;
  if (auto& column = windows().switches) column->back() = switches() - switches_before_;
  if (auto& column = windows().cpus) {
    std::fill(column->begin() + static_cast<std::ptrdiff_t>(first_unknown_), column->end(), count_cpus());
    first_unknown_ = column->size();
  }
}

std::uint64_t Lead::count_cpus() {
  cpus_now_.clear();
  for (const Board& board : scene_.boards) cpus_now_.push_back(board.cpu.load(std::memory_order_relaxed));
  std::ranges::sort(cpus_now_);
  return static_cast<std::uint64_t>(std::ranges::distance(cpus_now_.begin(), std::ranges::unique(cpus_now_).begin()));
}

}  // namespace threadping::engine

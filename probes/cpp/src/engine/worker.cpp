#include "engine/worker.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/pinning.hpp"

namespace threadping::engine {
namespace {

bool in_ns(const Scene& scene) { return scene.experiment.windows == contract::Unit::ns; }

/// The windows in which a timed operation must lie.
const Gate* gate_of(const Scene& scene) {
  return in_ns(scene) && !scene.experiment.open_loop ? scene.gate.begin() : nullptr;
}

/// The thread that opens windows of operations times all of one before anything is taken.
std::size_t capacity_of(const Scene& scene, std::size_t index) {
  if (in_ns(scene) || index > 0) return Recorder::kCapacity;
  return std::max<std::size_t>(scene.request.windows.sampling, Recorder::kCapacity);
}

/// The CPUs that may have to be woken: all on which threads may run, if there are few, or else the thread's
/// own.
platform::CpuSet may_sleep(const Scene& scene, std::size_t index) {
  if (!scene.blocking) return {};
  const auto& cpus = scene.request.cpus;
  const bool all_named = std::ranges::all_of(cpus, [](const auto& cpu) { return cpu.has_value(); });
  platform::CpuSet all = all_named ? contract::cpus_named(scene.request) : platform::allowed_cpus();
  if (all.size() <= platform::kMostIdle) return all;
  const std::optional<int>& own = cpus[index];
  return own && scene.request.pin == contract::Pin::thread ? platform::CpuSet{*own} : platform::CpuSet{};
}

}  // namespace

Worker::Worker(Scene& scene, std::size_t index)
    : scene_(scene),
      index_(index),
      lasts_(scene.stage->lasts(index)),
      board_(scene.boards[index]),
      recorder_(board_.ops, gate_of(scene), capacity_of(scene, index),
                scene.experiment.roles[scene.stage->role_of(index)].numbers.size()) {}

void Worker::set_up() {
  const bool alone = scene_.request.pin == contract::Pin::thread;
  board_.cpus_start.set(alone ? platform::pin_this_thread(scene_.request.cpus[index_]) : platform::allowed_cpus());
  board_.thread = static_cast<int>(syscall(SYS_gettid));  // gettid() is glibc's since 2.30
  player_ = scene_.stage->player(index_);
}

void Worker::live() {
  board_.attempt([&] {
    set_up();
    if (!lead_) obey();
  });
  if (lead_) lead_();
  end();
}

void Worker::end() {
  board_.attempt([&] { board_.cpus_end.set(platform::allowed_cpus()); });
  board_.ended = true;
  scene_.bell->ring();
}

/// Switches, and the CPU, are read whenever an order is taken up: those of a window are the difference between two, and
/// each thread reports its CPU at its end as it takes up the next.
Order Worker::take_up(std::uint64_t number) {
  Order order = scene_.orders->order(number);
  if (order.rest_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(order.rest_ns));
  if (in_ns(scene_) && lasts_) board_.switches.store(platform::read_involuntary_switches(), std::memory_order_relaxed);
  look_where_it_stands();
  board_.obeyed.store(number, std::memory_order_release);
  if (order.leave) return order;
  recorder_.begin(order.every > 0);
  read(order.reading);
  return order;
}

void Worker::look_where_it_stands() { board_.cpu.store(sched_getcpu(), std::memory_order_relaxed); }

void Worker::obey() {
  for (std::uint64_t number = 0;;) {
    number = await_order_after(number);
    const Order order = take_up(number);
    if (order.leave) break;
    perform(order);
    board_.finished.store(number, std::memory_order_release);
    go_on(order, number);
  }
  if (!scene_.experiment.stream) return;
  recorder_.begin_run();
  recorder_.progress(player_->leave(recorder_));
  take();
}

/// The first order comes when all are to be set up.
void Worker::set_up_brought() {
  board_.attempt([&] {
    set_up();
    take_up_brought(await_order_after(0));
  });
}

std::uint64_t Worker::perform_brought(std::uint64_t count) {
  std::uint64_t done = 0;
  if (board_.trouble.failed.load(std::memory_order_relaxed)) return done;
  board_.attempt([&] {
    if (const std::uint64_t number = scene_.orders->number(); number != taken_up_) take_up_brought(number);
    done = run({.count = count});
  });
  return done;
}

/// It times nothing: what it counted is taken from order to order.
void Worker::take_up_brought(std::uint64_t number) {
  taken_up_ = number;
  take();
  if (take_up(number).leave) board_.cpus_end.set(platform::allowed_cpus());
  board_.finished.store(number, std::memory_order_release);
}

/// Spins, so that a worker is awake and warm when an order comes; yields after a while, since another thread may need
/// this very CPU; and then sleeps. Where there are more workers than CPUs they do not yield: with 512 of them on two
/// CPUs (Linux 6.18) it took 100 to 300 ms until all had begun to obey, and 15 ms without.
std::uint64_t Worker::await_order_after(std::uint64_t number) const {
  constexpr int kSpins = 1000;
  constexpr int kYields = 100;
  const int looks_before_sleep = kSpins + (crowded() ? 0 : kYields);
  std::uint64_t latest = 0;
  for (int looks = 0; (latest = scene_.orders->number()) == number; ++looks) {
    if (looks >= looks_before_sleep)
      scene_.orders->sleep(number);
    else if (looks >= kSpins)
      sched_yield();
  }
  return latest;
}

std::uint64_t Worker::run(const Task& task) {
  recorder_.begin_run();
  const std::uint64_t done = player_->run(task, recorder_);
  recorder_.progress(done);
  return done;
}

Visited Worker::visit(std::uint32_t line, const Visit& visit) {
  Visited visited;
  if (visit.lead_in > 0 && run({.line = line, .count = visit.lead_in}) < visit.lead_in) return visited;

  const std::uint64_t opened_ns = platform::now_ns();
  visited.throughput = run({.line = line, .count = visit.throughput});
  const std::uint64_t closed_ns = platform::now_ns();
  visited.throughput_ns = closed_ns - opened_ns;
  if (visited.throughput < visit.throughput || visit.sampling == 0) return visited;

  visited.sampling = run({.line = line, .count = visit.sampling, .every = 1, .opened_ns = closed_ns});
  for (const Timing& timing : recorder_.added()) visited.sampling_ns += timing.ns();
  return visited;
}

void Worker::take() {
  recorder_.take();
  board_.readings.store(recorder_.readings(), std::memory_order_relaxed);
}

/// Performs `count` operations, whatever the orders say meanwhile; fewer where they were stopped.
void Worker::perform(const Order& order) {
  std::uint64_t done = 0;
  for (std::uint64_t left = order.count; left > 0; left -= std::min(left, done)) {
    done = run({.line = order.line, .count = left});
    take();
    if (done == 0) return;
  }
}

/// The task of a chunk: whole groups where one operation of a group is timed.
Task Worker::chunk_of(const Order& order) {
  Task task{.line = order.line, .count = order.chunk, .every = order.every};
  if (task.every > 0)
    task.count = std::clamp<std::uint64_t>(order.chunk / task.every, 1, Recorder::kCapacity) * task.every;
  return task;
}

/// Chunk by chunk. What was timed is taken between two.
void Worker::go_on(const Order& order, std::uint64_t number) {
  if (order.chunk == 0) return;
  const Task task = chunk_of(order);
  while (scene_.orders->number() == number) {
    recorder_.about_to_time();
    run(task);
    take();
  }
}

/// All workers are set up by now, so that the others can be looked at; and nothing is measured yet. Where the first
/// thread leads, nobody else times anything, nor do threads of a role that says so: hundreds of them that each opened
/// files of /proc at once waited for seconds, since the table of open files grows while nobody else uses it. At threads
/// that the kernel does not know nobody can look.
void Worker::prepare_to_look() {
  constexpr std::size_t kFewEnoughForTracePoints = 64;
  if (!scene_.request.outliers || (index_ > 0 && !in_ns(scene_))) return;
  if (!scene_.experiment.roles[scene_.stage->role_of(index_)].times) return;
  const std::size_t threads = scene_.boards.size();
  std::vector<int> others;
  if (threads - 1 <= platform::kMostOthers)
    for (std::size_t other = 0; other < threads; ++other)
      if (other != index_ && scene_.stage->lasts(other)) others.push_back(scene_.boards[other].thread);
  const bool few = threads <= kFewEnoughForTracePoints;
  if (few) recorder_.touch();
  auto onlooker =
      scene_.host.kernel_knows_threads()
          ? std::make_unique<platform::Onlooker>(others, few, few ? may_sleep(scene_, index_) : platform::CpuSet{})
          : nullptr;
  recorder_.look_with(*scene_.request.outliers, std::move(onlooker),
                      static_cast<double>(threads) / static_cast<double>(scene_.running), scene_.request.seed + index_);
}

std::optional<std::uint64_t> Worker::migrations() const {
  return lasts_ && scene_.host.kernel_knows_threads() ? platform::read_migrations() : std::nullopt;
}

platform::ThreadCounters Worker::counters() const {
  return lasts_ ? scene_.host.counters(index_) : platform::ThreadCounters{};
}

void Worker::read(Order::Reading reading) {
  platform::ThreadCounters& counters = board_.counters;
  switch (reading) {
    case Order::Reading::none: break;
    case Order::Reading::prepare:
      migrations_before_ = migrations();
      prepare_to_look();
      break;
    case Order::Reading::begin:
      migrations_before_ = migrations();
      before_ = this->counters();
      ops_before_ = board_.ops;
      recorder_.measure(platform::now_ns());
      break;
    case Order::Reading::end:
      counters = this->counters() - before_;
      board_.measured_ops = board_.ops - ops_before_;
      recorder_.measured();
      break;
    case Order::Reading::finish:
      if (const auto now = migrations()) counters.migrations = platform::difference(now, migrations_before_);
      break;
  }
}

platform::Threads::Join Host::start(Worker& worker) {
  return start_thread([&worker] { worker.live(); });
}

Visited Host::visit(Worker& worker, std::uint32_t line, const Visit& visit) { return worker.visit(line, visit); }

Host& native() {
  static Host host;
  return host;
}

}  // namespace threadping::engine

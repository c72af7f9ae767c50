#include "lock/trial.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "tally.hpp"

namespace threadping::lock {
namespace {

constexpr std::size_t kMostWaits = std::size_t{1} << 20;  // of all threads: 8 MB

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

/// 1,234,567.
std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  return digits;
}

}  // namespace

std::uint64_t Trial::Look::sum() const { return std::accumulate(ops.begin(), ops.end(), std::uint64_t{0}); }

Trial::Trial(const message::Request& request, std::unique_ptr<Cells> cells, Start start)
    : request_(request),
      cells_(std::move(cells)),
      start_(std::move(start)),
      finish_(static_cast<int>(request.cpus.size())),
      route_(request.lines) {
  const std::size_t threads = request_.cpus.size();
  for (std::size_t index = 0; index < threads; ++index)
    workers_.push_back(std::make_unique<Worker>(request_, *cells_, orders_, index, kMostWaits / threads));
  threads_.reserve(threads);
  std::iota(route_.begin(), route_.end(), 0U);
  std::ranges::shuffle(route_, std::mt19937_64(request.seed));
  result_.mechanism = request.mechanism;
  result_.exact = cells_->exact();
}

message::LockResult Trial::run() {
  if (request_.pin == message::Pin::process) platform::pin_process(message::cpus_named(request_));
  result_.clock = platform::measure_clock();
  deadline_ns_ = platform::now_ns() + request_.bound_ns;
  start_workers();
  if (stand()) {
    warm_up();
    measure();
  }
  result_.cut = !in_time();
  end_workers();
  refuse_failures();
  report();
  refuse_wrong_count();
  return std::move(result_);
}

/// Starts as many threads as there are workers, or none.
void Trial::start_workers() {
  try {
    for (const auto& worker : workers_)
      threads_.push_back(start_([this, &worker = *worker] {
        worker.run();
        finish_.cross();
      }));
  } catch (const std::system_error& error) {
    orders_.give(Order::Kind::leave, 0);
    for (std::thread& thread : threads_) thread.join();
    throw Failure(ErrorCode::unsupported,
                  "Only " + with_commas(threads_.size()) + " of " + with_commas(workers_.size()) +
                      " threads could be started (" + error.code().message() +
                      "). The system's limit on threads is in ulimit -u, the cgroup's pids.max or kernel.threads-max: "
                      "ask for fewer with --threads.");
  }
}

/// Waits until every worker stands where it is to stand; false if one of them cannot, or the bound passed first.
bool Trial::stand() {
  if (!order(Order::Kind::hold)) return false;
  for (const auto& worker : workers_) {
    if (worker->failure()) return false;
    cpus_ = platform::united(cpus_, worker->report().cpus_start);
  }
  crowding_ = crowding(workers_.size(), cpus_.size());
  return true;
}

/// The workers together perform as many operations as the request wants, within its limit.
void Trial::warm_up() {
  constexpr std::uint64_t kLook = 1'000'000;
  const std::uint64_t wanted = request_.warmup.rounds * request_.warmup.ops;
  const std::uint64_t start = platform::now_ns();
  const std::uint64_t end = std::min(start + request_.warmup.limit_ns, deadline_ns_);
  calibrate(kLook * (crowding_ > 1 ? 4 * crowding_ : 1), end);
  if (start_together(Order::Kind::plain, route_.front())) {
    while (look().sum() < wanted && platform::now_ns() < end) nap();
  }
  result_.warmup_ns = platform::now_ns() - start;
}

/// Short looks that tell how long an operation takes, for the chunk and for how often one is timed. At least one, and
/// none that begins after `end_ns`.
void Trial::calibrate(std::uint64_t look_ns, std::uint64_t end_ns) {
  const auto paced = [&](Order::Kind kind) {
    if (!start_together(kind, route_.front())) return 0.0;
    const Look before = look();
    sleep_until(before.ns + look_ns);
    return pace(before, look());
  };
  bool grows = true;
  while (grows) {
    const double operation_ns = paced(Order::Kind::plain);
    const std::uint64_t chunk = next_chunk(operation_ns, orders_.chunk);
    grows = chunk > orders_.chunk && platform::now_ns() < end_ns;
    orders_.chunk = chunk;
    orders_.every = sample_every(operation_ns, result_.clock.cost_ns);
  }
  result_.sample_every = orders_.every;
  paced(Order::Kind::sampled);
}

void Trial::measure() {
  if (!order(Order::Kind::begin)) return;
  const Look first = look();
  result_.warmup_ops = first.sum();
  const auto machine_before = platform::read_machine_counters(cpus_);
  const Lengths lengths = window_lengths(request_.measure_ns, crowding_);
  const std::uint64_t start = platform::now_ns();
  for (std::size_t step = 0; platform::now_ns() - start < request_.measure_ns; ++step)
    if (!visit(route_[step % route_.size()], step % 2 == 1, lengths)) break;

  const std::uint32_t end = orders_.give(Order::Kind::end, 0);
  await_the_last([&] { return all_obey(end); });
  result_.measured_ns = platform::now_ns() - start;
  result_.measured_ops = look().sum() - first.sum();
  result_.machine = platform::read_machine_counters(cpus_) - machine_before;
}

/// A plain and a sampled window on one line; false if the bound has passed. The order of the two alternates, so that
/// what drifts falls on both alike.
bool Trial::visit(std::uint32_t line, bool sampled_first, const Lengths& lengths) {
  const auto plain = [&] { return open_window(Order::Kind::plain, line, lengths.plain_ns); };
  const auto sampled = [&] { return open_window(Order::Kind::sampled, line, lengths.sampled_ns); };
  return sampled_first ? sampled() && plain() : plain() && sampled();
}

/// A window of this length, or until the bound, which it then returns false for.
bool Trial::open_window(Order::Kind kind, std::uint32_t line, std::uint64_t ns) {
  if (!start_together(kind, line)) return false;
  Look before = look();
  sleep_until(before.ns + ns);
  Look after = look();
  orders_.chunk = next_chunk(pace(before, after), orders_.chunk);
  std::ranges::transform(after.ops, before.ops, before.ops.begin(), std::minus<>());
  result_.windows.push_back({.line = line,
                             .sampled = kind == Order::Kind::sampled,
                             .ns = after.ns - before.ns,
                             .ops = std::move(before.ops)});
  return in_time();
}

void Trial::end_workers() {
  orders_.give(Order::Kind::leave, 0);
  await_the_last([&] { return finish_.wait(0); });
  for (std::thread& thread : threads_) thread.join();
}

void Trial::report() {
  const bool measured = result_.measured_ns > 0;  // or else the bound passed in the warm-up
  Tally waits;
  for (const auto& worker : workers_) {
    result_.threads.push_back(worker->report());
    result_.made += worker->ops();
    if (measured) waits.add(worker->waits());
  }
  result_.waits = waits.by_value();
  if (!measured) result_.warmup_ops = result_.made;
  result_.warmup_complete = result_.warmup_ops >= request_.warmup.rounds * request_.warmup.ops;
  result_.found = cells_->found();
}

void Trial::refuse_failures() const {
  for (const auto& worker : workers_)
    if (worker->failure()) throw Failure(*worker->failure());
}

void Trial::refuse_wrong_count() const {
  if (!result_.exact || result_.found == result_.made) return;
  const bool lost = result_.found < result_.made;
  const std::uint64_t difference = lost ? result_.made - result_.found : result_.found - result_.made;
  throw Failure(ErrorCode::count_wrong, "The counter holds " + with_commas(difference) +
                                            (difference == 1 ? " increment " : " increments ") +
                                            (lost ? "fewer than were made: the lock let them be lost."
                                                  : "more than were made: the lock let some be doubled."));
}

bool Trial::start_together(Order::Kind kind, std::uint32_t line) {
  return order(Order::Kind::hold) && order(kind, line);
}

bool Trial::order(Order::Kind kind, std::uint32_t line) {
  const std::uint32_t number = orders_.give(kind, line);
  while (!all_obey(number)) {
    if (!in_time()) return false;
    nap();
  }
  return in_time();
}

template <class Done>
void Trial::await_the_last(Done done) {
  const std::uint64_t patience = 500'000'000 * std::min<std::uint64_t>(crowding_, 4);
  std::uint64_t moved = platform::now_ns();
  std::uint64_t ops = 0;
  while (!done()) {
    nap();
    const std::uint64_t now = platform::now_ns();
    if (const std::uint64_t sum = look().sum(); std::exchange(ops, sum) != sum) moved = now;
    if (now - moved > patience) {
      for (std::thread& thread : threads_) thread.detach();
      throw Unstoppable(ErrorCode::stalled,
                        "No thread gets the lock any more: a release was lost, or the lock deadlocks.");
    }
  }
}

bool Trial::all_obey(std::uint32_t order) const {
  return std::ranges::all_of(workers_, [&](const auto& worker) { return worker->obeys(order); });
}

bool Trial::in_time() const { return platform::now_ns() < deadline_ns_; }

void Trial::sleep_until(std::uint64_t ns) const {
  const std::uint64_t now = platform::now_ns();
  const std::uint64_t end = std::min(ns, deadline_ns_);
  if (end > now) std::this_thread::sleep_for(std::chrono::nanoseconds(end - now));
}

Trial::Look Trial::look() const {
  Look now{.ns = platform::now_ns(), .ops = std::vector<std::uint64_t>(workers_.size())};
  std::ranges::transform(workers_, now.ops.begin(), [](const auto& worker) { return worker->ops(); });
  return now;
}

double Trial::pace(const Look& from, const Look& to) const {
  return ns_an_operation(to.ns - from.ns, to.sum() - from.sum(), std::min(workers_.size(), cpus_.size()));
}

}  // namespace threadping::lock

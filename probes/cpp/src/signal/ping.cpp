#include "signal/ping.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "signal/sequence.hpp"

namespace threadping::signal {
namespace {

/// A longer round of the warm-up is one uninterrupted loop (contract/request.schema.json).
constexpr std::uint64_t kMostOpsInVisits = 100'000;

constexpr std::uint64_t kOpsARoundTrip = 2;

}  // namespace

Ping::Ping(const message::Request& request, Cells& cells, Court& court, message::SignalResult& result)
    : request_(request),
      cells_(cells),
      court_(court),
      result_(result),
      readings_(request.lines, request.measure_ns),
      stamps_(visit_of(kMostRoundTrips).singles),
      route_(request.lines),
      next_(request.lines, 0) {
  std::iota(route_.begin(), route_.end(), 0U);
  std::ranges::shuffle(route_, std::mt19937_64(request.seed));
}

void Ping::run() {
  result_.clock = platform::measure_clock();
  const Calibration calibration = warm_up();
  if (calibration.complete)
    measure(calibrated_visit(request_.measure_ns, calibration.round_trip_ns, request_.lines, readings_.singles_left()));
}

void Ping::sort_readings() {
  result_.lines = readings_.blocks_by_line();
  result_.singles = readings_.singles_by_value();
}

/// Visits that double in length until they take a millisecond, so that even a pair that needs a time slice for each
/// hand-over is noticed at once; then as many as the request wants, or its long rounds, within its limit. One long
/// visit proves nothing: the first may have waited for pong to be let onto its CPU.
Ping::Calibration Ping::warm_up() {
  constexpr std::uint64_t kLongEnough = 1'000'000;
  constexpr int kProof = 2;
  const std::uint64_t wanted = request_.warmup.rounds * request_.warmup.ops;
  const std::uint64_t in_visits = request_.warmup.ops > kMostOpsInVisits ? 0 : wanted;
  const std::uint64_t start = platform::now_ns();
  std::uint64_t now = start;
  std::uint32_t block = 1;
  int long_visits = 0;
  bool calibrated = false;
  bool complete = true;
  double quickest_ns = std::numeric_limits<double>::max();
  for (std::size_t step = 0; complete && (!calibrated || (ops_ < in_visits && now - start < request_.warmup.limit_ns));
       ++step) {
    const std::uint64_t before = now;
    const Visit visit = visit_of(block);
    complete = go(route_[step % route_.size()], visit).complete;
    now = platform::now_ns();
    quickest_ns = std::min(quickest_ns, static_cast<double>(now - before) / visit.turns());
    const bool is_long = now - before >= kLongEnough;
    if (is_long) ++long_visits;
    calibrated = calibrated || block == kMostRoundTrips || long_visits == kProof;
    if (!is_long) block = std::min(2 * block, kMostRoundTrips);
  }
  if (complete && in_visits < wanted) complete = long_rounds(quickest_ns, start);
  result_.warmup_ops = std::exchange(ops_, 0);
  result_.warmup_ns = platform::now_ns() - start;
  result_.warmup_complete = result_.warmup_ops >= wanted;
  return {.round_trip_ns = quickest_ns, .complete = complete};
}

/// Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at `round_trip_ns`. Where
/// that was disturbed and time is left, the round goes on. False if the trial was stopped.
bool Ping::long_rounds(double round_trip_ns, std::uint64_t start) {
  for (std::uint64_t round = 0; round < request_.warmup.rounds; ++round) {
    const std::uint32_t line = route_[round % route_.size()];
    std::uint64_t left = (request_.warmup.ops + 1) / kOpsARoundTrip;
    while (left > 0) {
      const std::uint64_t passed = platform::now_ns() - start;
      if (passed >= request_.warmup.limit_ns) return true;
      const double affordable = static_cast<double>(request_.warmup.limit_ns - passed) / std::max(round_trip_ns, 1.0);
      const std::uint64_t turns = std::min(left, static_cast<std::uint64_t>(affordable) + 1);
      court_.orders.send({.kind = Order::Kind::visit, .line = line, .turns = turns});
      if (!count(cells_.take_turns(Side::ping, line, next_[line], turns), turns, next_[line])) return false;
      left -= turns;
    }
  }
  return !court_.stopping;
}

void Ping::measure(Visit visit) {
  court_.orders.send({.kind = Order::Kind::read_counters});
  court_.orders.await_acknowledgement();
  const platform::CpuSet cpus =
      platform::united(court_.sides[kPing].cpus_start.cpus(), court_.sides[kPong].cpus_start.cpus());
  const auto machine_before = platform::read_machine_counters(cpus);
  const auto counters_before = platform::read_thread_counters();

  const std::uint64_t start = platform::now_ns();
  std::uint64_t now = start;
  bool complete = true;
  for (std::size_t step = 0; complete && now - start < request_.measure_ns && readings_.has_room(); ++step) {
    const std::uint32_t line = route_[step % route_.size()];
    visit.singles = std::min(visit.singles, readings_.singles_left());
    const Visited visited = go(line, visit);
    complete = visited.complete;
    if (visited.block_complete) {
      readings_.add_block(line, visit.block, visited.block_start, visited.block_end);
      readings_.add_singles(visited.block_end, std::span(stamps_).first(visited.singles));
    }
    now = platform::now_ns();
  }

  court_.sides[kPing].counters = platform::read_thread_counters() - counters_before;
  result_.machine = platform::read_machine_counters(cpus) - machine_before;
  result_.measured_ns = now - start;
  result_.measured_ops = ops_;
  result_.block_round_trips = visit.block;
  if (partial_ && partial_->round_trips > 0) result_.partial = partial_;
}

/// Takes pong along to `line` and back and forth there, as `visit` says.
Ping::Visited Ping::go(std::uint32_t line, const Visit& visit) {
  std::uint64_t& next = next_[line];
  court_.orders.send({.kind = Order::Kind::visit, .line = line, .turns = visit.turns()});
  Visited visited;

  const Taken lead_in = cells_.take_turns(Side::ping, line, next, visit.lead_in);
  if (!count(lead_in, visit.lead_in, next)) return visited;

  visited.block_start = platform::now_ns();
  const Taken block = cells_.take_turns(Side::ping, line, next, visit.block);
  visited.block_end = platform::now_ns();
  visited.block_complete = count(block, visit.block, next);
  if (!visited.block_complete) {
    partial_ = {.line = line,
                .round_trips = static_cast<std::uint32_t>(block.done),
                .ns = visited.block_end - visited.block_start};
    return visited;
  }
  const Taken singles = cells_.stamp_turns(line, next, std::span(stamps_).first(visit.singles));
  visited.singles = singles.done;
  visited.complete = count(singles, visit.singles, next) && !court_.stopping;
  return visited;
}

/// Counts the turns taken from `next` on, which it moves; false when not all that were wanted could be taken.
bool Ping::count(const Taken& taken, std::uint64_t wanted, std::uint64_t& next) {
  next += kOpsARoundTrip * taken.done;
  ops_ += kOpsARoundTrip * taken.done;
  if (taken.done < wanted) refuse_broken_sequence(taken, next);
  return taken.done == wanted;
}

}  // namespace threadping::signal

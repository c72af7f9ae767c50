#include "crew/crew.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "crew/numbers.hpp"
#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {
namespace {

constexpr std::uint64_t kBetweenLooks = 5'000'000;
constexpr std::uint64_t kBetweenStops = 1'000'000;

}  // namespace

Crew::Crew(const message::Request& request, const Experiment& experiment, Loops& loops, message::Result& result,
           platform::Threads::Start start)
    : request_(request),
      experiment_(experiment),
      loops_(loops),
      result_(result),
      common_(1, loops.sharing()),
      boards_(request.cpus.size(), loops.sharing()),
      threads_(std::move(start)) {
  const std::size_t timing = leads_from_outside() ? boards_.size() : 1;
  for (std::size_t index = 0; index < timing; ++index) recorders_.push_back(std::make_unique<Recorder>());
  members_.reserve(boards_.size());
  for (std::size_t index = 0; index < boards_.size(); ++index)
    members_.emplace_back(index, request_, loops_, common_[0], boards_[index],
                          index < timing ? recorders_[index].get() : nullptr);
  const Scene scene{request_, loops_, common_[0], boards_, result_, deadline_ns_};
  lead_ = leads_from_outside() ? outsider(scene) : first_thread(scene, members_.front(), *recorders_.front());
}

void Crew::run() {
  start();
  watch();
  threads_.join();
  refuse_failures();
  if (stalled_) throw Failure(ErrorCode::stalled, std::string(experiment_.stalled));
}

/// Starts all of them, or none: the processes first, and the first thread last, so that whoever leads finds the others
/// there.
void Crew::start() {
  deadline_ns_ = platform::now_ns() + request_.bound_ns;
  std::size_t started = 0;
  try {
    for (std::size_t index = members_.size(); index-- > 0; ++started)
      threads_.start(index == 0 ? platform::Sharing::threads : loops_.sharing(), [this, index] { live(index); });
    if (leads_from_outside()) threads_.start(platform::Sharing::threads, [this] { lead(); });
  } catch (const std::system_error& error) {
    common_[0].orders.leave();
    threads_.join();
    throw Failure(ErrorCode::unsupported,
                  "Only " + with_commas(started) + " of " + with_commas(members_.size()) +
                      " threads could be started (" + error.code().message() +
                      "). The system's limit on threads is in ulimit -u, the cgroup's pids.max or kernel.threads-max: "
                      "ask for fewer with --threads.");
  }
}

/// One measuring thread, from its pin to its end.
void Crew::live(std::size_t index) {
  Board& board = boards_[index];
  try {
    const bool leads = index == 0 && !leads_from_outside();
    if (members_[index].stand() && !leads) members_[index].obey();
    if (leads) lead();
    board.cpus_end.set(platform::allowed_cpus());
  } catch (const Failure& failure) {
    board.fail(failure.code(), failure.what());
  } catch (const std::exception& error) {
    board.fail(ErrorCode::internal, error.what());
  }
  board.ended = true;
  bell_.ring();
}

void Crew::lead() {
  try {
    result_.cut = !lead_->run();
  } catch (const Failure& failure) {
    boards_[0].fail(failure.code(), failure.what());
  } catch (const std::exception& error) {
    boards_[0].fail(ErrorCode::internal, error.what());
  }
  common_[0].orders.leave();
  lead_ended_ = true;
  bell_.ring();
}

/// Sleeps until all have ended. Where the bound passes first it stops them at the next sign of life, and without one
/// for as long as it is patient they have stalled. Threads that are still alive go on until they notice; those that
/// show no sign of it any more are given up.
void Crew::watch() {
  const auto over = [this] { return all_ended() || failed(); };
  const auto ended = [this] { return all_ended(); };
  if (!bell_.await(over, deadline_ns_)) {
    if (const auto how = threads_.died()) {
      threads_.abandon();
      throw Unstoppable(ErrorCode::internal, "A measuring process ended before its time (" + *how + ").");
    }
    const std::uint64_t before = progress();
    const std::uint64_t patient_until = platform::now_ns() + request_.patience_ns;
    while (!bell_.await(over, platform::now_ns() + kBetweenLooks) && progress() == before && !stalled_)
      stalled_ = platform::now_ns() > patient_until;
  }
  std::uint64_t last = progress();
  for (std::uint64_t moved = platform::now_ns(); !all_ended();) {
    for (std::size_t line = 0; line < request_.lines; ++line) loops_.stop(line);
    if (bell_.await(ended, platform::now_ns() + kBetweenStops)) return;
    if (const std::uint64_t now = progress(); std::exchange(last, now) != now) moved = platform::now_ns();
    if (platform::now_ns() - moved > request_.patience_ns) {
      threads_.abandon();
      for (const Board& board : boards_)
        if (board.failed) throw Unstoppable(board.code, board.message.data());
      throw Unstoppable(ErrorCode::stalled, std::string(experiment_.stalled));
    }
  }
}

bool Crew::all_ended() const {
  return (lead_ended_ || !leads_from_outside()) &&
         std::ranges::all_of(boards_, [](const Board& board) { return board.ended.load(); });
}

bool Crew::failed() const {
  return std::ranges::any_of(boards_, [](const Board& board) { return board.failed.load(); });
}

std::uint64_t Crew::progress() {
  std::uint64_t sum = 0;
  for (const Board& board : boards_) sum += board.ops.load(std::memory_order_relaxed);
  for (std::size_t line = 0; line < request_.lines; ++line) sum += loops_.progress(line);
  return sum;
}

void Crew::refuse_failures() const {
  for (const Board& board : boards_)
    if (board.failed) throw Failure(board.code, board.message.data());
}

void Crew::report(std::string_view timed) {
  for (std::size_t index = 0; index < boards_.size(); ++index) {
    const Board& board = boards_[index];
    result_.threads.push_back({.role = std::string(experiment_.roles[std::min(index, experiment_.roles.size() - 1)]),
                               .cpus_start = board.cpus_start.cpus(),
                               .cpus_end = board.cpus_end.cpus(),
                               .counters = board.counters});
  }
  message::Distribution& distribution = result_.distributions[std::string(timed)];
  for (const auto& recorder : recorders_) recorder->add_to(distribution);
  result_.windows.ops.resize(boards_.size());
  if (result_.measured_ns > 0) return;
  // the bound passed in the warm-up
  std::uint64_t ops = 0;
  for (const Board& board : boards_) ops += board.ops;
  if (leads_from_outside()) result_.warmup_ops = ops;
}

}  // namespace threadping::crew

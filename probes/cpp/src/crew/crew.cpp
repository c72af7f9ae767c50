#include "crew/crew.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/pinning.hpp"

namespace threadping::crew {
namespace {

constexpr std::uint64_t kBetweenLooks = 5'000'000;
constexpr std::uint64_t kBetweenStops = 1'000'000;

}  // namespace

Crew::Crew(const message::Request& request, const Experiment& experiment, std::unique_ptr<Loops> loops,
           platform::Threads::Start start)
    : experiment_(experiment),
      scene_{.request = request, .loops = std::move(loops)},
      lead_ended_(!leads_from_outside()),
      threads_(std::move(start)) {
  for (std::size_t index = 0; index < scene_.boards.size(); ++index) members_.emplace_back(scene_, index);
  lead_ = leads_from_outside() ? outsider(scene_) : first_thread(scene_, members_.front());
}

message::Result& Crew::run(const platform::ClockQuality& clock, std::string_view timed) {
  scene_.result.clock = clock;
  start();
  watch();
  threads_.join();
  refuse<Failure>();
  report(timed);
  return scene_.result;
}

/// Starts all of them, or none: the processes first, and the first thread last, so that whoever leads finds the others
/// there.
void Crew::start() {
  scene_.deadline_ns = platform::now_ns() + scene_.request.bound_ns;
  std::size_t started = 0;
  try {
    for (std::size_t index = members_.size(); index-- > 0; ++started)
      threads_.start(index == 0 ? platform::Sharing::threads : scene_.loops->sharing(), [this, index] { live(index); });
    if (leads_from_outside()) threads_.start(platform::Sharing::threads, [this] { lead(); });
  } catch (const std::system_error& error) {
    scene_.orders->leave();
    threads_.join();
    throw Failure(ErrorCode::unsupported,
                  "Only " + with_commas(started) + " of " + with_commas(members_.size()) +
                      " threads could be started (" + error.code().message() +
                      "). The system's limit on threads is in ulimit -u, the cgroup's pids.max or kernel.threads-max: "
                      "ask for fewer with --threads.");
  }
}

/// One measuring thread, from its pin to its end. Who leads does so wherever it stands, so that all are told to leave.
void Crew::live(std::size_t index) {
  Board& board = scene_.boards[index];
  const bool leads = index == 0 && !leads_from_outside();
  board.attempt([&] {
    members_[index].stand();
    if (!leads) members_[index].obey();
  });
  if (leads) lead();
  board.attempt([&] { board.cpus_end.set(platform::allowed_cpus()); });
  board.ended = true;
  bell_.ring();
}

void Crew::lead() {
  scene_.boards[0].attempt([&] { scene_.result.cut = !lead_->run(); });
  scene_.orders->leave();
  lead_ended_ = true;
  bell_.ring();
}

/// Sleeps until all have ended. Where the bound passes first it stops them at the next sign of life, and without one
/// for as long as it is patient they have stalled. Threads that are still alive go on until they notice; those that
/// show no sign of it any more are given up.
void Crew::watch() {
  const auto over = [this] { return all_ended() || failed(); };
  const auto ended = [this] { return all_ended(); };
  if (!bell_.await(over, scene_.deadline_ns)) {
    if (const auto how = threads_.died()) {
      threads_.abandon();
      throw Unstoppable(ErrorCode::internal, "A measuring process ended before its time (" + *how + ").");
    }
    const std::uint64_t before = progress();
    const std::uint64_t patient_until = platform::now_ns() + scene_.request.patience_ns;
    while (!bell_.await(over, platform::now_ns() + kBetweenLooks) && progress() == before && !stalled_)
      stalled_ = platform::now_ns() > patient_until;
  }
  std::uint64_t last = progress();
  for (std::uint64_t moved = platform::now_ns(); !all_ended();) {
    for (std::size_t line = 0; line < scene_.request.lines; ++line) scene_.loops->stop(line);
    if (bell_.await(ended, platform::now_ns() + kBetweenStops)) return;
    if (const std::uint64_t now = progress(); std::exchange(last, now) != now) moved = platform::now_ns();
    if (platform::now_ns() - moved > scene_.request.patience_ns) {
      threads_.abandon();
      stalled_ = true;
      refuse<Unstoppable>();
    }
  }
}

bool Crew::all_ended() const {
  return lead_ended_ && std::ranges::all_of(scene_.boards, [](const Board& board) { return board.ended.load(); });
}

bool Crew::failed() const {
  return std::ranges::any_of(scene_.boards, [](const Board& board) { return board.failed.load(); });
}

std::uint64_t Crew::progress() const {
  std::uint64_t sum = 0;
  for (const Board& board : scene_.boards) sum += board.ops.load(std::memory_order_relaxed);
  for (std::size_t line = 0; line < scene_.request.lines; ++line) sum += scene_.loops->progress(line);
  return sum;
}

template <class Thrown>
void Crew::refuse() const {
  for (const Board& board : scene_.boards)
    if (board.failed) throw Thrown(board.code, board.message.data());
  if (stalled_) throw Thrown(ErrorCode::stalled, std::string(experiment_.stalled));
}

void Crew::report(std::string_view timed) {
  for (std::size_t index = 0; index < scene_.boards.size(); ++index) {
    const Board& board = scene_.boards[index];
    scene_.result.threads.push_back(
        {.role = std::string(experiment_.roles[std::min(index, experiment_.roles.size() - 1)]),
         .cpus_start = board.cpus_start.cpus(),
         .cpus_end = board.cpus_end.cpus(),
         .counters = board.counters});
  }
  message::Distribution& distribution = scene_.result.distributions[std::string(timed)];
  for (Member& member : members_) member.recorder().add_to(distribution);
  scene_.result.windows.ops.resize(scene_.boards.size());
  if (scene_.result.measured_ns > 0) return;
  // the bound passed in the warm-up
  std::uint64_t ops = 0;
  for (const Board& board : scene_.boards) ops += board.ops;
  if (leads_from_outside()) scene_.result.warmup_ops = ops;
}

}  // namespace threadping::crew

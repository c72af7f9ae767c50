#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/lead.hpp"
#include "engine/trial.hpp"
#include "failure.hpp"
#include "numbers.hpp"
#include "platform/clock.hpp"
#include "platform/kernel_texts.hpp"
#include "platform/pinning.hpp"
#include "platform/skew.hpp"

namespace threadping::engine {
namespace {

constexpr std::uint64_t kBetweenLooks = 5'000'000;
constexpr std::uint64_t kBetweenStops = 1'000'000;
constexpr std::uint64_t kMostBetweenStops = 64'000'000;
constexpr std::uint64_t kToEndAlone = 250'000'000;

void refuse_differences(const contract::Counts& counts) {
  for (const auto& [name, held] : counts) {
    if (!held.exact || held.found == held.made) continue;
    const bool lost = held.found < held.made;
    const std::uint64_t difference = lost ? held.made - held.found : held.found - held.made;
    throw Failure(ErrorCode::count_wrong, "Of " + with_commas(held.made) + " " + name + " that were made, " +
                                              with_commas(held.found) + " were found: " + with_commas(difference) +
                                              (lost ? " lost." : " doubled."));
  }
}

/// The threads of one trial, and the calling one, which watches over them: it starts them, sleeps until all have ended,
/// somebody has failed or the bound has passed, and then stops them. It knows no experiment.
class Team final : public Brought {
 public:
  Team(const contract::Request& request, const Experiment& experiment, const Mechanism& mechanism,
       std::unique_ptr<Stage> stage, Host& host)
      : experiment_(experiment),
        mechanism_(mechanism),
        scene_{.request = request,
               .experiment = experiment,
               .stage = std::move(stage),
               .blocking = mechanism.blocking,
               .host = host},
        lead_ended_(false) {
    for (std::size_t index = 0; index < scene_.boards.size(); ++index) workers_.emplace_back(scene_, index);
    lead_ = leads_from_outside() ? outsider(scene_) : first_thread(scene_, workers_.front());
    scene_.stage->act_by(*this);
    if (!leads_from_outside()) workers_.front().lead_by([this] { lead(); });
  }

  /// The whole trial. Throws Failure for what went wrong first, and Unstoppable where threads remain,
  /// which still use all that is here.
  contract::Result run() {
    scene_.host.tell_clock(scene_.result);
    find_pairs_of_cpus();
    compare_clocks();
    start_and_watch();
    threads_.join();
    refuse<Failure>();
    if (!scene_.result.cut && !experiment_.open_loop)
      for (const auto& cpus : scene_.request.pings) scene_.ping(cpus, true);
    scene_.result.skew.reset();
    compare_clocks();
    report();
    return std::move(scene_.result);
  }

  void set_up(std::size_t thread) override { workers_[thread].set_up_brought(); }
  std::uint64_t perform(std::size_t thread, std::uint64_t count) override {
    return workers_[thread].perform_brought(count);
  }

 private:
  void compare_clocks();
  void find_pairs_of_cpus();
  void start_and_watch();
  void start();
  void start_all(std::size_t& started);
  void watch();
  void note_the_dead();
  void count_as_ended(std::size_t from, std::size_t to) const;
  void end_brought() const;
  void report();
  void report_recorded(std::size_t index);
  void report_evidence();

  [[nodiscard]] std::size_t role_of(std::size_t index) const { return scene_.stage->role_of(index); }

  /// The name of what a worker times.
  [[nodiscard]] std::string timed_by(std::size_t index) const {
    return std::string(mechanism_.timed[std::min(role_of(index), mechanism_.timed.size() - 1)]);
  }

  void lead() {
    scene_.lead_trouble.attempt([&] { scene_.result.cut = !lead_->run(); });
    scene_.orders->leave();
    lead_ended_ = true;
    scene_.bell->ring();
  }

  [[nodiscard]] std::string stalled_in_words() const;
  [[nodiscard]] bool leads_from_outside() const { return experiment_.windows == contract::Unit::ns; }
  [[nodiscard]] bool all_ended() {
    note_the_dead();
    if (scene_.boards[0].ended) end_brought();
    return lead_ended_ && std::ranges::all_of(scene_.boards, [](const Board& board) { return board.ended.load(); });
  }
  [[nodiscard]] bool failed() const {
    return team_trouble_.failed || scene_.lead_trouble.failed || stage_trouble_.failed || scene_.some_worker_failed();
  }
  [[nodiscard]] bool all_listen() const {
    return !experiment_.stream || std::ranges::all_of(scene_.boards, [this](const Board& board) {
      return board.obeyed >= scene_.orders->number();
    });
  }
  [[nodiscard]] std::uint64_t progress() {
    std::uint64_t sum = 0;
    for (const Board& board : scene_.boards) sum += board.ops.load(std::memory_order_relaxed);
    for_each_line([&](std::size_t line) { sum += scene_.stage->progress(line); });
    return sum;
  }

  /// Asks the stage something of each line. What it throws is the trial's failure once its threads have been stopped.
  template <class Ask>
  void for_each_line(Ask ask) {
    for (std::size_t line = 0; line < scene_.request.lines; ++line) stage_trouble_.attempt([&] { ask(line); });
  }

  /// Throws what went wrong first, if anything did.
  template <class Thrown>
  void refuse() const {
    const auto say = [](const Trouble& trouble) {
      if (trouble.failed) throw Thrown(trouble.code, trouble.message.data());
    };
    say(team_trouble_);
    for (const Board& board : scene_.boards) say(board.trouble);
    say(scene_.lead_trouble);
    say(stage_trouble_);
    if (stalled_) throw Thrown(ErrorCode::stalled, stalled_in_words());
  }

  const Experiment& experiment_;
  const Mechanism& mechanism_;
  Scene scene_;
  std::map<std::pair<int, int>, std::optional<platform::Skew>> skews_;  ///< By pair of CPUs.
  std::deque<Worker> workers_;
  std::unique_ptr<Lead> lead_;
  std::atomic<bool> lead_ended_;
  Trouble team_trouble_{};   ///< The watching thread's: not all could be started, or one died;
  Trouble stage_trouble_{};  ///< and what the stage threw that it asked.
  bool stalled_ = false;
  platform::Threads threads_;
};

/// Before there are workers, and when there are none any more: in no window, and not within the bound. What the
/// exchanges before and after say of a pair holds together; the result has the pair that is farthest apart for
/// certain.
void Team::compare_clocks() {
  for (auto& [cpus, skew] : skews_) {
    skew = platform::intersection(skew, scene_.host.skew(cpus.first, cpus.second));
    std::optional<platform::Skew>& farthest = scene_.result.skew;
    if (skew && (!farthest || platform::certain_ns(*skew) > platform::certain_ns(*farthest))) farthest = skew;
  }
}

/// The CPUs of threads that compare their clock readings with each other's, each pair once, and not too many:
/// those of the first threads, since of thousands there are millions of pairs to ask about.
void Team::find_pairs_of_cpus() {
  constexpr std::size_t kMostPairs = 8;
  const contract::Request& request = scene_.request;
  if (request.pin != contract::Pin::thread) return;
  for (std::size_t one = 0; one < std::min(request.cpus.size(), 2 * kMostPairs); ++one)
    for (std::size_t other = one + 1; other < request.cpus.size() && skews_.size() < kMostPairs; ++other) {
      const std::optional<int> a = request.cpus[one];
      const std::optional<int> b = request.cpus[other];
      if (a && b && a != b && !skews_.contains(std::minmax(*a, *b)) && scene_.stage->compares_clocks(one, other))
        skews_[std::minmax(*a, *b)];
    }
}

/// Whatever goes wrong here: where threads live on that use all this, nobody waits for them in vain.
void Team::start_and_watch() {
  try {
    start();
    watch();
  } catch (const Unstoppable&) {
    throw;
  } catch (...) {
    const Failure failure = failure_in_hand();
    threads_.abandon();
    throw Unstoppable(failure.code(), failure.what());
  }
}

/// Starts all, or the trial has failed, for whatever reason: nobody waits for those that were not started then, the
/// lead among them, which is the last; the others are ordered to leave, and watch() stops them.
void Team::start() {
  scene_.deadline_ns = platform::now_ns() + scene_.request.bound_ns;
  std::size_t started = 0;
  try {
    start_all(started);
  } catch (...) {
    const std::size_t workers = workers_.size();
    const Failure why = platform::too_few_threads(started, std::max(workers, started + 1));
    team_trouble_.fail(why.code(), why.what());
    count_as_ended(0, workers - started);
    lead_ended_ = true;
    scene_.orders->leave();
  }
}

/// The processes first, and the first thread last, so that the lead finds the others there.
void Team::start_all(std::size_t& started) {
  for (std::size_t index = workers_.size(); index-- > 0; ++started) {
    if (scene_.stage->brings(index)) continue;
    if (index == 0) threads_.when_a_process_ends([this] { scene_.bell->ring(); });
    threads_.start(
        index == 0 ? platform::Sharing::threads : scene_.stage->sharing(), [this, index] { workers_[index].live(); },
        [this, index](const auto& /*live*/) { return scene_.host.start(workers_[index]); });
  }
  if (leads_from_outside())
    threads_.start(
        platform::Sharing::threads, [this] { lead(); },
        [this](const auto& live) { return scene_.host.start_thread(live); });
}

/// Marks workers as ended that will never say so themselves.
void Team::count_as_ended(std::size_t from, std::size_t to) const {
  for (std::size_t index = from; index < to; ++index) scene_.boards[index].ended = true;
}

/// What a mechanism brings acts only while the first thread does.
void Team::end_brought() const {
  for (std::size_t index = 1; index < workers_.size(); ++index)
    if (scene_.stage->brings(index)) scene_.boards[index].ended = true;
}

/// Sleeps until all have ended. Where the bound passes first it stops them at the next sign of life, and without one
/// they have stalled when its patience ends. In a stream one thread may be alive that another waits for in vain:
/// each must take up the latest order. Threads that are alive have a moment to end by themselves: stopped,
/// they sleep no more, and hundreds that spin keep the lead from its CPU. Those that show no sign of life any more are
/// given up.
void Team::watch() {
  const auto over = [this] { return all_ended() || failed(); };
  const auto ended = [this] { return all_ended(); };
  if (!scene_.bell->await(over, scene_.deadline_ns)) {
    const std::uint64_t before = progress();
    const std::uint64_t patient_until = platform::now_ns() + scene_.request.patience_ns;
    do {
      stalled_ = platform::now_ns() > patient_until;
    } while (!stalled_ && !scene_.bell->await(over, platform::now_ns() + kBetweenLooks) &&
             (progress() == before || !all_listen()));
    if (!stalled_ && scene_.bell->await(ended, platform::now_ns() + kToEndAlone)) return;
  }
  std::uint64_t last = progress();
  std::uint64_t between_ns = kBetweenStops;  // twice as long each time: to stop hundreds takes a CPU that they need
  for (std::uint64_t moved = platform::now_ns(); !all_ended();
       between_ns = std::min(2 * between_ns, kMostBetweenStops)) {
    for_each_line([this](std::size_t line) { scene_.stage->stop(line); });
    if (scene_.bell->await(ended, platform::now_ns() + between_ns)) return;
    if (const std::uint64_t now = progress(); std::exchange(last, now) != now) moved = platform::now_ns();
    if (platform::now_ns() - moved > scene_.request.patience_ns) {
      threads_.abandon();
      stalled_ = true;
      refuse<Unstoppable>();
    }
  }
}

/// A process that died has failed, and says nothing itself. All threads but the first are processes then.
void Team::note_the_dead() {
  if (team_trouble_.failed) return;
  const auto how = threads_.died();
  if (!how) return;
  team_trouble_.fail(ErrorCode::internal, "A measuring process ended before its time (" + *how + ").");
  threads_.kill_processes();
  count_as_ended(1, workers_.size());
}

/// Where some of them never came onto a CPU, or onto a thread that carries them, the experiment is not to blame.
std::string Team::stalled_in_words() const {
  const auto began = static_cast<std::size_t>(
      std::ranges::count_if(scene_.boards, [](const Board& board) { return board.thread != 0 || board.ended; }));
  if (began == workers_.size()) return std::string(experiment_.stalled);
  return "Only " + with_commas(began) + " of " + with_commas(workers_.size()) +
         " threads had begun to run when the time of the trial was over: there are too few CPUs for them, or these are "
         "too busy.";
}

/// What the threads have left behind, once they have ended.
void Team::report() {
  contract::Result& result = scene_.result;
  result.experiment = experiment_.name;
  result.mechanism = mechanism_.name;
  for (std::size_t index = 0; index < scene_.boards.size(); ++index) {
    const Board& board = scene_.boards[index];
    result.threads.push_back({.role = std::string(experiment_.roles[role_of(index)].name),
                              .cpus_start = board.cpus_start.cpus(),
                              .cpus_end = board.cpus_end.cpus(),
                              .counters = board.counters});
  }
  for (const std::string_view name : mechanism_.timed) result.distributions[std::string(name)];
  std::vector<std::uint64_t> ops;
  for (const Board& board : scene_.boards) ops.push_back(board.ops);
  const bool cut_in_warm_up = result.measured_ns == 0;
  if (cut_in_warm_up && leads_from_outside()) result.warmup_ops = scene_.ops();
  result.counts = scene_.stage->counts(ops);
  for (std::size_t index = 0; index < workers_.size(); ++index) report_recorded(index);
  if (scene_.request.outliers) report_evidence();
  result.home_nodes = platform::nodes_of(scene_.stage->memory());
  if (result.managed) result.managed->pauses = scene_.host.pauses();
}

/// What a worker recorded: what it timed, its numbers, and its pairs of counts where anybody made any.
void Team::report_recorded(std::size_t index) {
  contract::Result& result = scene_.result;
  const Recorder& recorder = workers_[index].recorder();
  const Role& role = experiment_.roles[role_of(index)];
  recorder.durations().add_to(result.distributions[timed_by(index)]);
  for (std::size_t number = 0; number < role.numbers.size(); ++number) {
    contract::Distribution& numbers = result.distributions[std::string(role.numbers[number].name)];
    numbers.unit = role.numbers[number].unit;
    recorder.numbers()[number].add_to(numbers);
  }
  for (std::size_t pair = 0; pair < role.tallies.size(); ++pair) {
    const Tally& tally = recorder.tallies()[pair];
    if (tally.made == 0) continue;
    contract::Held& held = result.counts[std::string(role.tallies[pair])];
    held.exact = false;
    held.made += tally.made;
    held.found += tally.found;
  }
}

/// What was looked at around what took long.
void Team::report_evidence() {
  std::vector<Looker> lookers;
  for (std::size_t index = 0; index < workers_.size(); ++index)
    if (const std::optional<Looks>& looks = workers_[index].recorder().looks())
      lookers.push_back({.thread = index, .timed = timed_by(index), .looks = &*looks});
  scene_.result.evidence = evidence_of(lookers);
}

}  // namespace

contract::Result run(const contract::Request& request, const Experiment& experiment, const Mechanism& mechanism,
                     std::unique_ptr<Stage> stage, Host& host) {
  auto team = std::make_unique<Team>(request, experiment, mechanism, std::move(stage), host);
  try {
    contract::Result result = team->run();
    refuse_differences(result.counts);
    return result;
  } catch (const Unstoppable&) {
    static_cast<void>(team.release());  // NOLINT(bugprone-unused-return-value): its threads still use it
    throw;
  }
}

}  // namespace threadping::engine

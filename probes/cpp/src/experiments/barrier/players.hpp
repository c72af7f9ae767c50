#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/experiment.hpp"
#include "experiments/barrier/bounds.hpp"
#include "failure.hpp"
#include "mechanisms/barrier.hpp"
#include "numbers.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"
#include "waits/pauses.hpp"

namespace threadping::barrier {

using barriers::Barrier;

/// What a round is, but for the mechanism.
struct Terms {
  barriers::Shape shape;
  std::uint64_t work = 0;  ///< As `imbalance`, what steps_of() takes.
  std::uint64_t imbalance = 0;
  std::chrono::nanoseconds pause{0};
  bool ticks = false;  ///< Rounds begin when the clock has come so far on, and not so long after the last.
  bool joins = true;   ///< The coordinator waits at once, and not after its pause.
};

/// Throws as check_round(), and Failure(bad_request) for a team that is not smaller in every other round.
[[gnu::noinline]] inline Terms terms_of(const engine::Setup& setup) {
  const auto number = [&](std::string_view name) { return static_cast<std::uint64_t>(setup.params.number(name)); };
  const std::size_t then = setup.params.has("then") ? number("then") : 0;
  if (then >= setup.threads)
    throw Failure(ErrorCode::bad_request, "then=" + std::to_string(then) + " needs more than " +
                                              std::to_string(setup.threads) +
                                              " threads: it is the size of the smaller team.");
  const Terms terms{.shape = {.workers = setup.threads - 1,
                              .jobs = number("jobs"),
                              .crowded = setup.crowded,
                              .then = static_cast<std::uint32_t>(then)},
                    .work = number("work"),
                    .imbalance = number("imbalance"),
                    .pause = std::chrono::microseconds(setup.params.number("pause")),
                    .ticks = setup.params.text("pacing") == "period",
                    .joins = !setup.params.has("join") || setup.params.text("join") == "yes"};
  for (const std::uint64_t round : {1, 2}) {
    const std::uint64_t workers = std::max<std::uint64_t>(1, terms.shape.workers_in(round));
    check_round(workers, terms.shape.jobs == 0 ? workers : terms.shape.jobs, terms.work, terms.imbalance);
  }
  return terms;
}

/// The numbers that a coordinator reports of a timed round, in this order: the time from its start until the first
/// worker and the last ran, between these two, and until all were done.
enum Times : std::size_t { kFirst, kLast, kSpread, kDone };

/// What the coordinator announces to its workers, seldom: on a line that they read in every round.
struct alignas(platform::kLinePair) Brief {
  std::atomic<std::uint32_t> every{0};          ///< One round in `every` is timed, a power of two; 0: none.
  std::atomic<std::uint64_t> last{UINT64_MAX};  ///< The number that is no round: none comes any more.
  std::atomic<bool> stopped{false};

  /// Where only `even` rounds are timed, `every` is 2 or more.
  template <bool kEven>
  [[nodiscard]] bool times(std::uint64_t round) const {
    const std::uint32_t one_in = every.load(std::memory_order_relaxed);
    return one_in > 0 && (round & (one_in - 1)) == timed_of<kEven>(one_in);
  }
  /// The place of the timed round among as many: the middle one.
  template <bool kEven>
  [[nodiscard]] static std::uint32_t timed_of(std::uint32_t one_in) {
    return kEven ? one_in / 2 & ~std::uint32_t{1} : one_in / 2;
  }
  [[nodiscard]] bool over(std::uint64_t round) const { return round >= last.load(std::memory_order_relaxed); }
};

/// What a worker reports, on a line that it alone writes; the coordinator reads it after a timed round, outside of what
/// is timed.
struct alignas(platform::kLinePair) Attendance {
  std::atomic<std::uint64_t> rounds{0};   ///< Rounds in which it took part.
  std::atomic<std::uint64_t> came_ns{0};  ///< When it ran in the latest one that was timed,
  std::atomic<std::uint64_t> early{0};    ///< and that round where the coordinator had not begun it by then;
  std::atomic<std::uint64_t> done_ns{
      0};  ///< and when it had done its part, where the coordinator does not wait for it.
};

/// The mechanism, and what its threads report to each other outside it: what is checked, and when a worker ran.
template <class C>
struct Cell {
  C barrier;
  Brief brief;
  alignas(platform::kLinePair) std::atomic<std::uint64_t> begun{0};  ///< The round that the coordinator has come to.
  waits::Pauses pauses;
  std::atomic<bool> called{false};  ///< There is a coordinator, who ends it where it is stopped.
  std::vector<Attendance> workers;

  Cell(const Terms& terms, const engine::Params& params) : barrier(terms.shape, params), workers(terms.shape.workers) {}
};

/// Whether a round wants no more workers than it has jobs.
template <class C>
constexpr bool chooses() {
  if constexpr (Barrier<C>)
    return C::kChooses;
  else
    return false;
}

/// The number of the first `round` rounds in which a worker takes part.
template <class C>
std::uint64_t parts_until(const barriers::Shape& shape, std::uint64_t round, std::size_t worker) {
  if constexpr (barriers::Resizing<C>) return worker < shape.workers_in(1) ? round : round / 2;
  return chooses<C>() && shape.jobs_a_round() < shape.workers ? shape.jobs_until(round, worker) : round;
}

/// What a worker does in a round once it is released: says when it came where that is timed, does its jobs, and counts
/// the round. False where that is no round any more.
template <class C>
class Part {
 public:
  Part(Cell<C>& cell, const Terms& terms, std::size_t worker)
      : cell_(cell),
        own_(cell.workers[worker]),
        shape_(terms.shape),
        worker_(worker),
        stamps_end_(!terms.joins),
        steps_(steps_of(terms.work, terms.imbalance, worker, terms.shape.workers)),
        even_(shape_.then == 0 && shape_.jobs_a_round() % shape_.workers == 0 ? shape_.jobs_a_round() / shape_.workers
                                                                              : 0) {}

  /// The round that is to come.
  [[nodiscard]] std::uint64_t next() const {
    if constexpr (barriers::Resizing<C>)
      if (worker_ >= shape_.workers_in(1)) return 2 * (taken_ + 1);
    if (!chooses<C>() || shape_.jobs_a_round() >= shape_.workers) return taken_ + 1;
    return (taken_ * shape_.workers + worker_) / shape_.jobs_a_round() + 1;
  }

  [[gnu::always_inline]] bool play(std::uint64_t round, std::uint64_t& readings) {
    const bool timed = cell_.brief.template times<barriers::Resizing<C>>(round);
    const std::uint64_t now = timed ? platform::now_ns() : 0;
    if (cell_.brief.over(round)) return false;
    if constexpr (barriers::Stoppable<C>)
      if (cell_.brief.stopped.load(std::memory_order_relaxed)) return false;
    if (timed) [[unlikely]] {
      ++readings;
      own_.came_ns.store(now, std::memory_order_relaxed);
      if (cell_.begun.load(std::memory_order_relaxed) < round) own_.early.store(round, std::memory_order_relaxed);
    }
    if (steps_ > 0) work_.take(steps_ * (even_ > 0 ? even_ : jobs_in(round)));
    if (timed && stamps_end_) own_.done_ns.store(platform::now_ns(), std::memory_order_relaxed);
    own_.rounds.store(++taken_, std::memory_order_relaxed);
    return true;
  }

 private:
  [[nodiscard, gnu::always_inline]] std::uint64_t jobs_in(std::uint64_t round) const {
    if constexpr (barriers::Resizing<C>)
      if (shape_.then > 0) return shape_.jobs_in(round, worker_);
    return shape_.jobs_until(round, worker_) - shape_.jobs_until(round - 1, worker_);
  }

  Cell<C>& cell_;
  Attendance& own_;
  const barriers::Shape shape_;
  const std::size_t worker_;
  const bool stamps_end_;
  const std::uint64_t steps_;
  const std::uint64_t even_;  ///< Jobs in each round, where they are as many in all.
  std::uint64_t taken_ = 0;
  platform::Steps work_;
};

/// A worker's loop: until it has taken part in a number of rounds, or none comes any more; gives in how many.
template <Barrier C>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t attend(Cell<C>& cell, Part<C>& part,
                                                                          std::size_t worker, std::uint64_t count,
                                                                          std::uint64_t& readings) {
  for (std::uint64_t done = 0; done < count; ++done) {
    const std::uint64_t round = part.next();
    cell.barrier.await(worker, round);
    if (!part.play(round, readings)) return done;
    cell.barrier.arrive(worker, round);
  }
  return count;
}

/// A worker. It times nothing, and so looks into nothing: all others would wait for it.
template <class C>
class Worker final : public engine::Player {
 public:
  Worker(Cell<C>& cell, const Terms& terms, std::size_t worker)
      : cell_(cell), part_(cell, terms, worker), worker_(worker) {}

  /// Where the mechanism calls it, the one round for which it does.
  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    if (over_ || !has_begun()) return 0;
    std::uint64_t readings = 0;
    std::uint64_t done = 0;
    if constexpr (Barrier<C>)
      done = attend(cell_, part_, worker_, task.count, readings);
    else
      done = part_.play(part_.next(), readings) ? 1 : 0;
    over_ = done < task.count;
    samples.read_clock(readings);
    return done;
  }

  /// All that the coordinator begins.
  std::uint64_t leave(engine::Samples& samples) override {
    if constexpr (Barrier<C>) return run({.count = UINT64_MAX}, samples);
    return 0;
  }

 private:
  /// Nobody may come to a mechanism that cannot be stopped before all threads are there: waits until the coordinator
  /// has begun its first round. False if none comes.
  [[nodiscard]] bool has_begun() const {
    while (cell_.begun.load(std::memory_order_relaxed) == 0) {
      if (cell_.brief.over(1)) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return true;
  }

  Cell<C>& cell_;
  Part<C> part_;
  const std::size_t worker_;
  bool over_ = false;
};

/// When the coordinator began a round, had released all, and knew that all were done.
struct Moments {
  std::uint64_t from_ns = 0;
  std::uint64_t released_ns = 0;
  std::uint64_t done_ns = 0;
};

/// The coordinator. It begins every round, reads the clock in those that are timed, and then what the workers report.
template <class C>
class Coordinator final : public engine::Player {
 public:
  Coordinator(Cell<C>& cell, const Terms& terms, engine::Brought* brought)
      : cell_(cell), terms_(terms), brought_(brought) {
    if constexpr (barriers::Bringing<C>)
      cell.barrier.call([&](std::size_t thread) {
        if (thread > 0) brought_->set_up(thread);
      });
  }

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    if (over_) return 0;
    if constexpr (barriers::Bringing<C> && Barrier<C>) {
      std::uint64_t done = 0;
      cell_.barrier.call([&](std::size_t thread) {
        if (thread == 0)
          done = perform(task, samples);
        else
          brought_->perform(thread, task.count);
      });
      refuse_what_was_wrong();
      return done;
    } else {
      const std::uint64_t done = perform(task, samples);
      refuse_what_was_wrong();
      return done;
    }
  }

  /// The workers may go.
  std::uint64_t leave(engine::Samples& /*samples*/) override {
    if constexpr (barriers::Bringing<C> && Barrier<C>)
      cell_.barrier.call([&](std::size_t thread) {
        if (thread == 0)
          end();
        else
          brought_->perform(thread, 1);
      });
    else
      end();
    return 0;
  }

 private:
  /// Performs a task's rounds, or until the barrier is stopped: then it is released for good, so that no worker waits.
  std::uint64_t perform(const engine::Task& task, engine::Samples& samples) {
    cell_.brief.every.store(every_of(task), std::memory_order_relaxed);
    const std::uint64_t first = round_;
    const std::uint64_t end_of_run = round_ + task.count;
    while (round_ < end_of_run && !over_) {
      if (cell_.brief.stopped.load(std::memory_order_relaxed)) {
        end();
      } else if (times(round_ + 1)) {
        perform_timed(samples);
      } else if (terms_.pause.count() == 0) {
        perform_untimed(untimed_in_a_row(end_of_run));
      } else {
        pause_before();
        perform_untimed(1);
      }
    }
    if (!over_) check_workers();
    return round_ - first;
  }

  /// Of how many rounds one is timed. Where the team changes size, only rounds of all threads are.
  [[nodiscard]] std::uint32_t every_of(const engine::Task& task) const {
    return terms_.shape.then > 0 && task.every > 0 ? std::max<std::uint32_t>(2, task.every) : task.every;
  }
  [[nodiscard]] bool times(std::uint64_t round) const { return cell_.brief.template times<kEven>(round); }

  /// How many there are before the next that is timed.
  [[nodiscard]] std::uint64_t untimed_in_a_row(std::uint64_t until) const {
    const std::uint32_t every = cell_.brief.every.load(std::memory_order_relaxed);
    std::uint64_t count = until - round_;
    if (every > 1)
      count = std::min<std::uint64_t>(
          count, (every + Brief::timed_of<kEven>(every) - ((round_ + 1) & (every - 1))) & (every - 1));
    return std::max<std::uint64_t>(1, count);
  }

  /// The coordinator's loop where nobody reads a clock.
  [[gnu::noinline, gnu::aligned(platform::kCodeLine)]] void perform_untimed(std::uint64_t count) {
    std::uint64_t round = round_;
    for (; count > 0 && !cell_.brief.stopped.load(std::memory_order_relaxed); --count) go(++round, [] {});
    round_ = round;
  }

  [[gnu::noinline, gnu::aligned(platform::kCodeLine)]] Moments time(std::uint64_t round) {
    Moments moments{.from_ns = platform::now_ns()};
    go(round, [&] { moments.released_ns = platform::now_ns(); });
    moments.done_ns = platform::now_ns();
    return moments;
  }

  /// One round; `released` is called when all are released.
  template <class Released>
  [[gnu::always_inline]] void go(std::uint64_t round, Released released) {
    cell_.begun.store(round, std::memory_order_relaxed);
    if constexpr (Barrier<C>) {
      cell_.barrier.release(round, wanted(round));
      released();
      if (!terms_.joins) pause(terms_.pause);
      cell_.barrier.join(round);
    } else {
      const auto part = [&](std::size_t thread) {
        if (thread == 0)
          released();
        else
          brought_->perform(thread, 1);
      };
      if constexpr (barriers::Resizing<C>)
        cell_.barrier.call(part, terms_.shape.workers_in(round) + 1);
      else
        cell_.barrier.call(part);
    }
  }

  void perform_timed(engine::Samples& samples) {
    pause_before();
    samples.about_to_time();
    const Moments moments = time(++round_);
    samples.add(moments.from_ns, moments.released_ns);
    if (!cell_.brief.stopped.load(std::memory_order_relaxed)) tell_of_workers(moments, samples);
    samples.read_clock(3 + terms_.shape.workers);  // to read a worker's line takes about as long
  }

  /// Reports the times of the workers that have a job, unless all are wanted. Where the coordinator does not wait for
  /// them at once, all are done when the last of them is.
  void tell_of_workers(const Moments& moments, engine::Samples& samples) {
    const std::uint64_t from_ns = moments.from_ns;
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
    std::uint64_t done = terms_.joins ? moments.done_ns : 0;
    const barriers::Wanted those = wanted(round_);
    for (std::size_t place = 0; place < those.count; ++place) {
      const Attendance& seen = cell_.workers[(those.first + place) % terms_.shape.workers];
      const std::uint64_t came_ns = seen.came_ns.load(std::memory_order_relaxed);
      first = std::min(first, came_ns);
      last = std::max(last, came_ns);
      if (!terms_.joins) done = std::max(done, seen.done_ns.load(std::memory_order_relaxed));
    }
    samples.number(kFirst, first - from_ns);
    samples.number(kLast, last - from_ns);
    samples.number(kSpread, last - first);
    samples.number(kDone, done - from_ns);
    check_workers();
  }

  /// The workers that the round wants.
  [[nodiscard]] barriers::Wanted wanted(std::uint64_t round) const {
    const std::size_t workers = terms_.shape.workers;
    const std::uint64_t jobs = terms_.shape.jobs_a_round();
    if (!chooses<C>() || jobs >= workers) return {.first = 0, .count = workers};
    return {.first = static_cast<std::size_t>((round - 1) * jobs % workers), .count = static_cast<std::size_t>(jobs)};
  }

  /// After a round that all have ended: whether each took part in all that wanted it, and none before the coordinator
  /// began it.
  void check_workers() {
    if (cell_.brief.stopped.load(std::memory_order_relaxed) || wrong_) return;
    for (std::size_t worker = 0; worker < terms_.shape.workers && !wrong_; ++worker) {
      const Attendance& seen = cell_.workers[worker];
      const std::uint64_t due = parts_until<C>(terms_.shape, round_, worker);
      const std::uint64_t took = seen.rounds.load(std::memory_order_relaxed);
      if (const std::uint64_t early = seen.early.load(std::memory_order_relaxed); early > 0)
        wrong_ = "Worker " + std::to_string(worker + 1) + " ran in round " + with_commas(early) +
                 " before the coordinator had begun it.";
      else if (took != due)
        wrong_ = "When the coordinator knew that round " + with_commas(round_) + " was done, worker " +
                 std::to_string(worker + 1) + " had done " + with_commas(took) + " of its " + with_commas(due) + ".";
    }
    if (wrong_) end();
  }

  void refuse_what_was_wrong() const {
    if (wrong_) throw Failure(ErrorCode::sequence_broken, *wrong_);
  }

  /// Releases all for good: a waiting thread sees that no round comes any more.
  void end() {
    if (over_) return;
    over_ = true;
    const std::uint64_t none = round_ + 1;
    cell_.brief.last.store(none, std::memory_order_relaxed);
    if (round_ == 0) return;
    if constexpr (barriers::Stoppable<C>)
      cell_.barrier.stop();
    else if constexpr (Barrier<C>)
      cell_.barrier.release(none, {.first = 0, .count = terms_.shape.workers});
    else
      cell_.barrier.call([&](std::size_t thread) {
        if (thread > 0) brought_->perform(thread, 1);
      });
  }

  /// Where nobody joins the pause comes before the workers are waited for.
  void pause_before() {
    if (terms_.joins) pause(terms_.pause);
  }
  void pause(std::chrono::nanoseconds time) {
    if (time.count() == 0) return;
    if (terms_.ticks) {
      const std::uint64_t now = platform::now_ns();
      tick_ns_ =
          std::max(tick_ns_, now - static_cast<std::uint64_t>(time.count())) + static_cast<std::uint64_t>(time.count());
      time = std::chrono::nanoseconds(tick_ns_ - std::min(now, tick_ns_));
    }
    cell_.pauses.pause(time, cell_.brief.stopped);
  }

  static constexpr bool kEven = barriers::Resizing<C>;

  Cell<C>& cell_;
  const Terms terms_;
  engine::Brought* const brought_;
  std::uint64_t round_ = 0;    ///< The latest.
  std::uint64_t tick_ns_ = 0;  ///< When the latest was due.
  bool over_ = false;
  std::optional<std::string> wrong_;
};

/// A barrier and its threads: the first is the coordinator.
template <class C>
class BarrierStage final : public engine::Stage {
 public:
  explicit BarrierStage(const engine::Setup& setup)
      : terms_(terms_of(setup)), lines_(1, platform::Sharing::threads, 0, [&](void* place, std::byte* /*extra*/) {
          new (place) Cell<C>(terms_, setup.params);
        }) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    if (thread == 0) {
      lines_[0].called = true;
      return std::make_unique<Coordinator<C>>(lines_[0], terms_, brought_);
    }
    return std::make_unique<Worker<C>>(lines_[0], terms_, thread - 1);
  }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread == 0 ? 0 : 1; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override {
    return role_of(one) != role_of(other);
  }
  [[nodiscard]] bool brings(std::size_t thread) const override { return barriers::Bringing<C> && thread > 0; }
  void act_by(engine::Brought& brought) override { brought_ = &brought; }
  [[nodiscard]] bool lasts(std::size_t thread) const override { return thread <= terms_.shape.workers_in(1); }

  /// Of a mechanism that cannot be stopped the coordinator releases all once more; where there is none nobody has come
  /// to it.
  void stop(std::size_t /*line*/) override {
    lines_[0].brief.stopped.store(true);
    if (!lines_[0].called) lines_[0].brief.last.store(1);
    if constexpr (barriers::Stoppable<C>) lines_[0].barrier.stop();
  }
  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override {
    return lines_[0].begun.load(std::memory_order_relaxed) + lines_[0].pauses.stretches();
  }

  /// The rounds that the coordinator began for workers, and those in which they took part; a round without a worker is
  /// the coordinator's own.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    if (lines_[0].brief.stopped) return {};
    contract::Held rounds;
    if (terms_.shape.workers_in(1) == 0) rounds.made = rounds.found = (ops[0] + 1) / 2;
    for (std::size_t worker = 0; worker < terms_.shape.workers; ++worker) {
      rounds.made += parts_until<C>(terms_.shape, ops[0], worker);
      rounds.found += ops[worker + 1];
    }
    return contract::single_count("rounds", rounds);
  }
  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  const Terms terms_;
  engine::Brought* brought_ = nullptr;
  const platform::Lines<Cell<C>> lines_;
};

}  // namespace threadping::barrier

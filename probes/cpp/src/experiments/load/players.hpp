#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "engine/experiment.hpp"
#include "experiments/load/links.hpp"
#include "experiments/load/schedule.hpp"
#include "failure.hpp"
#include "numbers.hpp"
#include "platform/clock.hpp"
#include "platform/kernel_texts.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"
#include "platform/pinning.hpp"
#include "waits/waits.hpp"

namespace threadping::load {

inline constexpr std::size_t kSender = 0;
inline constexpr std::size_t kReceiver = 1;

/// The receiver's numbers, all in ns: the two parts of the latency, and the latency again after gaps of at least so
/// much.
inline constexpr std::array<engine::NumberInfo, 13> kNumbers{{
    {.name = "due-to-sent", .unit = "ns"},
    {.name = "sent-to-received", .unit = "ns"},
    {.name = "latency-after-10us", .unit = "ns"},
    {.name = "latency-after-30us", .unit = "ns"},
    {.name = "latency-after-100us", .unit = "ns"},
    {.name = "latency-after-300us", .unit = "ns"},
    {.name = "latency-after-1ms", .unit = "ns"},
    {.name = "latency-after-3ms", .unit = "ns"},
    {.name = "latency-after-10ms", .unit = "ns"},
    {.name = "latency-after-30ms", .unit = "ns"},
    {.name = "latency-after-100ms", .unit = "ns"},
    {.name = "latency-after-300ms", .unit = "ns"},
    {.name = "latency-after-1s", .unit = "ns"},
}};

/// The sender's numbers: of how many idle states that are deeper a message found the receiver's CPU.
inline constexpr std::array<engine::NumberInfo, kGapsNs.size()> kIdle{{
    {.name = "idle-after-10us", .unit = "deeper states"},
    {.name = "idle-after-30us", .unit = "deeper states"},
    {.name = "idle-after-100us", .unit = "deeper states"},
    {.name = "idle-after-300us", .unit = "deeper states"},
    {.name = "idle-after-1ms", .unit = "deeper states"},
    {.name = "idle-after-3ms", .unit = "deeper states"},
    {.name = "idle-after-10ms", .unit = "deeper states"},
    {.name = "idle-after-30ms", .unit = "deeper states"},
    {.name = "idle-after-100ms", .unit = "deeper states"},
    {.name = "idle-after-300ms", .unit = "deeper states"},
    {.name = "idle-after-1s", .unit = "deeper states"},
}};

/// The part of the gap axis to which a gap belongs.
inline std::size_t part_of(std::uint64_t gap_ns) {
  const auto longer = std::span(kGapsNs).subspan(1);
  return static_cast<std::size_t>(std::distance(longer.begin(), std::ranges::upper_bound(longer, gap_ns)));
}

/// Among the receiver's numbers, the one of the latency after such a gap.
inline std::size_t number_after(std::uint64_t gap_ns) {
  constexpr std::size_t kFirst = 2;
  return kFirst + part_of(gap_ns);
}

/// What the sender notes of a message, on a line pair of its own: all but `sent_ns` before the message is due, so that
/// the line is the sender's by then.
struct alignas(platform::kLinePair) Note {
  std::atomic<std::uint64_t> number{0};  ///< The message's number, once all is noted.
  std::uint64_t due_ns = 0;
  std::uint64_t gap_ns = 0;  ///< Between the message before it and this one, as they are due.
  std::uint64_t next_due_ns = 0;
  std::uint64_t sent_ns = 0;
};

/// The engine fits tasks to the pace that it sees. After a stall that is the pace of the messages that had queued, far
/// above the schedule's: a run is no longer than this (ns) once that holds again, so that orders are taken up, and a
/// message in so much time is timed where the clock's share allows no more.
inline constexpr double kRun = 100e3;
inline constexpr double kTimedPace = 4e3;

/// What the two threads share, whatever the link is: what uses only this is compiled once.
struct CourseParts {
  const queues::Shape shape;
  const std::uint64_t seed;
  const Schedule schedule;
  const std::uint64_t most_in_a_run;
  const std::uint64_t most_every;
  const bool sleeps;  ///< The sender, until shortly before a message is due.
  const bool by_gap;  ///< Whether latencies are recorded by gap too.
  const bool idles;   ///< Whether the receiver's CPU may: one that spins keeps it busy.
  platform::Shared<Note> notes;
  alignas(platform::kLinePair) std::atomic<std::uint64_t> end{UINT64_MAX};  ///< The number that is no message.
  std::atomic<bool> stopped{false};
  std::atomic<int> receiver_cpu{-1};                                 ///< Where it is pinned.
  alignas(platform::kLinePair) std::atomic<std::uint64_t> taken{0};  ///< Messages taken, their notes read.

  CourseParts(const queues::Traits& traits, const engine::Setup& setup);

  [[nodiscard]] Note& note(std::uint64_t number) const { return notes[number & (notes.size() - 1)]; }
};

[[gnu::noinline]] inline CourseParts::CourseParts(const queues::Traits& traits, const engine::Setup& setup)
    : shape(queues::shape_of(traits, setup.params, setup.threads)),
      seed(setup.seed),
      schedule(setup.params, seed),
      most_in_a_run(schedule.due_in(kRun)),
      most_every(std::bit_ceil(schedule.due_in(kTimedPace))),
      sleeps(setup.params.text("sender") == "sleep"),
      by_gap(arrivals_of(setup.params) == Arrivals::idle),
      idles(setup.blocking || waits::sleeps(setup.params)),
      notes(std::bit_ceil(shape.size), platform::Sharing::threads) {}

/// What they share, with the link.
template <Link L>
struct Course : CourseParts {
  alignas(platform::kLinePair) L link;

  explicit Course(const engine::Setup& setup) : CourseParts(L::kTraits, setup), link(shape, setup.params) {}
};

/// How far the sender has come, whatever the link is.
struct SenderProgress {
  Schedule schedule;
  std::uint64_t sent = 0;                                   ///< Messages sent.
  std::uint64_t free_until = 0;                             ///< The number up to which it need not ask what was taken.
  std::uint64_t start_ns = 0;                               ///< The schedule's start, once it runs.
  std::uint64_t last_due_ns = 0;                            ///< When the last message was due,
  std::uint64_t due_ns = 0;                                 ///< when the next one is,
  std::uint64_t next_due_ns = 0;                            ///< and the one after it.
  std::optional<platform::IdleStates> idle = std::nullopt;  ///< The receiver's CPU's, if they are read.
  bool looked = false;                                      ///< They were read before the next message.

  void advance() {
    last_due_ns = due_ns;
    due_ns = next_due_ns;
    next_due_ns = start_ns + schedule.next();
  }

  /// The schedule begins now. `idle_of`: the CPU whose idle states are to be read, if they are known; negative: none.
  [[gnu::noinline]] void start(int idle_of) {
    start_ns = next_due_ns = platform::now_ns();
    advance();
    advance();
    if (idle_of >= 0) idle.emplace(idle_of);
    if (idle && !idle->known()) idle.reset();
  }
};

template <Link L>
struct SenderState {
  L::Sender sender;
  SenderProgress progress;
};

/// A sender that sleeps wakes so long before a message is due: the kernel's timer slack and a wake-up are less.
inline constexpr std::uint64_t kAwake = 100'000;

inline constexpr std::uint64_t kStretch = 10'000'000;

/// Waits a moment, of `ns` at most.
[[gnu::noinline]] inline void idle(bool sleeps, std::uint64_t ns) {
  if (sleeps && ns > kAwake)
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(ns - kAwake, kStretch)));
  else
    platform::pause();
}

/// Waits until there is space for the note of a message, and so for the message; false if the course was stopped.
inline bool await_space(const CourseParts& course, SenderProgress& at, std::uint64_t number) {
  constexpr std::uint64_t kMoment = 50'000;
  for (;;) {
    at.free_until = course.taken.load(std::memory_order_acquire) + course.shape.size;
    if (number <= at.free_until) return true;
    if (course.stopped.load(std::memory_order_relaxed)) return false;
    idle(course.sleeps, kAwake + kMoment);
  }
}

/// Waits until a message is due and gives the time, which is later where the sender is late; 0 after a stretch, for the
/// sender to poll its orders, unless the message is due within another.
inline std::uint64_t await(std::uint64_t due_ns, bool sleeps) {
  const std::uint64_t first = platform::now_ns();
  std::uint64_t now = first;
  for (; now < due_ns; now = platform::now_ns()) {
    if (now - first > kStretch && due_ns - now > kStretch) return 0;
    idle(sleeps, due_ns - now);
  }
  return now;
}

/// To look at the idle states takes less than half of it.
inline constexpr std::uint64_t kIdleLook = 20'000;

/// Looks just before a message is due: a state that the CPU left earlier, for an interrupt, is not the one that the
/// message finds. It does not where the sender comes too late for that; false after a stretch, as await().
inline bool look_before(SenderProgress& at, bool sleeps) {
  const std::uint64_t now = await(at.due_ns - kIdleLook, sleeps);
  at.looked = now != 0 && now + kIdleLook / 2 < at.due_ns;
  if (at.looked) at.idle->look();  // NOLINT(bugprone-unchecked-optional-access): only called where there is one
  return now != 0;
}

/// A receiver that has taken the message has left the state in which that found it.
inline void look_after(const CourseParts& course, SenderProgress& at, std::uint64_t gap_ns, engine::Samples& samples) {
  const auto taken = [&] { return course.taken.load(std::memory_order_acquire) >= at.sent; };
  while (!taken() && platform::now_ns() + kIdleLook < at.due_ns) platform::pause();
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): likewise
  if (taken()) samples.number(part_of(gap_ns), at.idle->look());
}

/// Notes the next message, up to when it is due; null where the course was stopped, or the message is not due for long.
[[gnu::noinline]] inline Note* note_next(const CourseParts& course, SenderProgress& at) {
  const std::uint64_t number = at.sent + 1;
  if (number > at.free_until && !await_space(course, at, number)) return nullptr;
  Note& note = course.note(number);
  note.due_ns = at.due_ns;
  note.gap_ns = at.due_ns - at.last_due_ns;
  note.next_due_ns = at.next_due_ns;
  if (at.idle && !look_before(at, course.sleeps)) return nullptr;
  return &note;
}

/// After a message was sent.
[[gnu::noinline]] inline void turn_to_next(const CourseParts& course, SenderProgress& at, engine::Samples& samples) {
  ++at.sent;
  const std::uint64_t gap_ns = at.due_ns - at.last_due_ns;
  at.advance();
  if (std::exchange(at.looked, false)) look_after(course, at, gap_ns, samples);
}

/// The sender's loop: sends `count` messages, each when it is due, or at once where it is late: none is left out, and
/// no due time moves. Gives how many it sent: fewer where the next is not due for long, or the course was stopped.
template <Link L>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_sends(Course<L>& course,
                                                                                 SenderState<L>& state,
                                                                                 std::uint64_t count,
                                                                                 engine::Samples& samples) {
  SenderProgress& at = state.progress;
  for (std::uint64_t done = 0; done < count; ++done) {
    const std::uint64_t number = at.sent + 1;
    Note* const note = note_next(course, at);
    if (note == nullptr) return done;
    note->sent_ns = await(at.due_ns, course.sleeps);
    if (note->sent_ns == 0) return done;
    note->number.store(number, std::memory_order_release);
    course.link.send(state.sender, number);
    turn_to_next(course, at, samples);
  }
  return count;
}

template <Link L>
class LoadSender final : public engine::Player {
 public:
  explicit LoadSender(Course<L>& course)
      : course_(course), at_{.sender = course.link.sender(), .progress = {.schedule = course.schedule}} {}

  /// The schedule starts with the first message. The sender looks into nothing: it would be late.
  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    samples.others_wait(true);
    if (at_.progress.start_ns == 0)
      at_.progress.start(course_.by_gap && course_.idles ? course_.receiver_cpu.load() : -1);
    return perform_sends(course_, at_, std::min(task.count, course_.most_in_a_run), samples);
  }

  /// One more number, which is no message. The fence is for a signal that orders nothing.
  std::uint64_t leave(engine::Samples& /*samples*/) override {
    const std::uint64_t end = at_.progress.sent + 1;
    course_.end.store(end, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    course_.link.send(at_.sender, end);
    return 0;
  }

 private:
  Course<L>& course_;
  SenderState<L> at_;
};

/// How far the receiver has come, whatever the link is.
struct ReceiverProgress {
  std::uint64_t random;     ///< Never 0.
  std::uint64_t every = 1;  ///< One message in `every` is timed on average,
  std::uint64_t timed = 1;  ///< next this one.
  std::uint64_t taken = 0;
  bool ended = false;  ///< There are no more.

  /// How many messages later the next is timed. Drawn, from 1 to 2 * every - 1: a fixed distance would always meet the
  /// same places in bursts. Xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
  std::uint64_t draw_gap() {
    constexpr int kHalf = 32;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return 1 + ((random >> kHalf) * (2 * every - 1) >> kHalf);
  }
};

template <Link L>
struct ReceiverState {
  L::Taker taker;
  ReceiverProgress progress;
};

/// What the sender has noted of a message that has come. On some CPUs a signal that orders nothing comes before the
/// note, by less than it takes to poll so often. Throws Failure(sequence_broken) where there is none.
inline const Note& noted(const CourseParts& course, std::uint64_t number) {
  constexpr int kMostPolls = 10'000;
  const Note& note = course.note(number);
  for (int polls = 0; note.number.load(std::memory_order_acquire) != number; ++polls)
    if (polls == kMostPolls)
      throw Failure(ErrorCode::sequence_broken, "Message " + with_commas(number) + " came before it was sent.");
  return note;
}

/// Times those of the messages up to `last`, which have come now, that are to be timed. Nobody looks into what took
/// long where that could take until the next message.
[[gnu::noinline]] inline void time_messages(const CourseParts& course, ReceiverProgress& at, std::uint64_t last,
                                            std::uint64_t now_ns, engine::Samples& samples) {
  constexpr std::uint64_t kTimeForALook = 500'000;
  const std::uint64_t until = std::min(last, course.end.load(std::memory_order_relaxed) - 1);
  samples.read_clock(1);
  for (; at.timed <= until; at.timed += at.draw_gap()) {
    const Note& note = noted(course, at.timed);
    samples.number(0, note.sent_ns - note.due_ns);
    samples.number(1, now_ns - note.sent_ns);
    if (course.by_gap) samples.number(number_after(note.gap_ns), now_ns - note.due_ns);
    samples.add(note.due_ns, now_ns);
    samples.others_wait(at.timed < last || note.next_due_ns < now_ns + kTimeForALook);
  }
}

/// The receiver's loop: takes until it has taken `count` messages, or there is nothing to take any more; gives how
/// many. It reads the clock as soon as it sees a message that is to be timed.
template <Link L>
[[gnu::noinline, gnu::aligned(platform::kCodeLine)]] std::uint64_t perform_receives(Course<L>& course,
                                                                                    ReceiverState<L>& kept,
                                                                                    std::uint64_t count,
                                                                                    engine::Samples& samples) {
  ReceiverState<L> state = kept;
  ReceiverProgress& at = state.progress;
  const std::uint64_t first = at.taken;
  while (at.taken - first < count && !at.ended) {
    const bool came = course.link.receive(state.taker, at.taken, [&](std::uint64_t last) {
      if (last >= at.timed) time_messages(course, at, last, platform::now_ns(), samples);
      at.taken = last;
    });
    if (!came) break;
    at.ended = at.taken >= course.end.load(std::memory_order_relaxed);
    if (at.ended) --at.taken;
    course.taken.store(at.taken, std::memory_order_release);
  }
  kept = state;
  return at.taken - first;
}

/// The CPU to which the calling thread is pinned; -1 where it may run on several.
[[gnu::noinline]] inline int only_cpu() {
  const platform::CpuSet cpus = platform::allowed_cpus();
  return cpus.size() == 1 ? static_cast<int>(cpus.front()) : -1;
}

template <Link L>
class LoadReceiver final : public engine::Player {
 public:
  explicit LoadReceiver(Course<L>& course)
      : course_(course), at_{.taker = course.link.taker(), .progress = {.random = course.seed | kNotZero}} {
    course.receiver_cpu = only_cpu();
  }

  /// One message in `every` is timed on average; the task before decides where this one does not say.
  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    ReceiverProgress& at = at_.progress;
    const std::uint64_t every = task.every > 0 ? std::min<std::uint64_t>(task.every, course_.most_every) : at.every;
    if (every != at.every) {
      at.every = every;
      at.timed = at.taken + at.draw_gap();
    }
    samples.others_wait(true);
    return perform_receives(course_, at_, std::min(task.count, course_.most_in_a_run), samples);
  }

  std::uint64_t leave(engine::Samples& samples) override { return perform_receives(course_, at_, UINT64_MAX, samples); }

 private:
  static constexpr std::uint64_t kNotZero = std::uint64_t{1} << 63;

  Course<L>& course_;
  ReceiverState<L> at_;
};

template <Link L>
class LoadStage final : public engine::Stage {
 public:
  explicit LoadStage(const engine::Setup& setup)
      : courses_(1, platform::Sharing::threads, 0,
                 [&](void* place, std::byte* /*extra*/) { new (place) Course<L>(setup); }) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    if (thread == kSender) return std::make_unique<LoadSender<L>>(courses_[0]);
    return std::make_unique<LoadReceiver<L>>(courses_[0]);
  }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override { return one != other; }

  void stop(std::size_t /*line*/) override {
    courses_[0].stopped.store(true, std::memory_order_relaxed);
    courses_[0].link.stop();
  }
  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override {
    return courses_[0].taken.load(std::memory_order_relaxed);
  }

  /// A course that was stopped has not come to its end.
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    if (courses_[0].stopped) return {};
    return contract::single_count("messages", {.made = ops[kSender], .found = ops[kReceiver]});
  }
  [[nodiscard]] const std::byte* memory() const override { return courses_.memory(); }

 private:
  const platform::Lines<Course<L>> courses_;
};

}  // namespace threadping::load

#include "own/conformance.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/signal.hpp"
#include "numbers.hpp"
#include "own/watching.hpp"
#include "platform/clock.hpp"

namespace threadping::own {
namespace {

using Operations = std::atomic<std::uint64_t>;

std::string text(std::uint64_t number) { return with_commas(number); }

// --- what stop() ends ---

/// Nanoseconds without a sent message after which a queue that is to be filled first counts as full.
constexpr std::uint64_t kFilled = 50'000'000;

// --- signals ---

constexpr std::uint64_t kTurns = 100'000;
constexpr std::size_t kWords = 8;

/// What is published with a signal, written before it and read after it.
using Payload = std::array<std::uint64_t, kWords>;

void check_alone(AnySignal& signal) {
  constexpr std::uint64_t kUnawaited = 1'000;
  Together::run({[&](Operations& done) {
                  if (signal.peek() != 0)
                    refuse("peek() gives " + text(signal.peek()) + " before anything is published: it is 0 at first.");
                  for (std::uint64_t number = 1; number <= kUnawaited; ++number, ++done) signal.publish(number);
                  const std::uint64_t seen = signal.await(kUnawaited);
                  if (seen != kUnawaited)
                    refuse(signal.awaiting + "(" + text(kUnawaited) + ") gave " + text(seen) + ": " + text(kUnawaited) +
                           " was published last.");
                  if (signal.peek() != kUnawaited)
                    refuse("peek() gives " + text(signal.peek()) + " after publish(" + text(kUnawaited) + ").");
                }},
                [&] {
                  return "A publish() that nobody awaits, or " + signal.awaiting +
                         "() of what was published before, does not return.";
                });
}

/// One of the two, and its publisher.
struct Side {
  AnySignal& signal;
  Payload payload{};
  std::atomic<std::uint64_t> publishing{0};
  std::atomic<std::uint64_t> published{0};

  void publish(std::uint64_t number) {
    payload.fill(number);
    publishing = number;
    signal.publish(number);
    published = number;
  }

  void await(std::uint64_t due) {
    const std::uint64_t seen = signal.await(due);
    if (seen < due) refuse(signal.awaiting + "(" + text(due) + ") gave " + text(seen) + ": it returned too early.");
    if (seen > due)
      refuse(signal.awaiting + "(" + text(due) + ") gave " + text(seen) + ", which nobody had published.");
    for (const std::uint64_t word : payload)
      if (word != due)
        refuse("What was written before publish(" + text(due) + ") was not seen after " + signal.awaiting + "(" +
               text(due) + "): the signal does not order it.");
  }

  [[nodiscard]] bool hangs() const { return publishing > published; }

  /// What is wrong where its last number does not arrive.
  [[nodiscard]] std::string why_stuck() const {
    const std::string due = text(publishing);
    if (hangs()) return "publish(" + due + ") has not returned for some seconds: it is to wait for nobody.";
    const std::uint64_t seen = signal.peek();
    if (seen >= publishing)
      return "A wake-up was lost: " + due + " is published, as peek() says, and " + signal.awaiting + "(" + due +
             ") has not returned for some seconds.";
    return "Lost: publish(" + due + ") has returned, and peek() gives " + text(seen) + ".";
  }
};

void check_turns(AnySignal& one, AnySignal& other) {
  Side ping{.signal = one};
  Side pong{.signal = other};
  std::atomic<std::uint64_t> last{kTurns};
  const std::uint64_t began = platform::now_ns();
  Together::run({[&](Operations& done) {
                   NowAndThen now(1);
                   for (std::uint64_t number = 1; number <= last; ++number, ++done) {
                     if (is_enough(number, began)) last = std::min<std::uint64_t>(last, number);
                     now.pause();
                     ping.publish(number);
                     pong.await(number);
                   }
                 },
                 [&](Operations& done) {
                   NowAndThen now(2);
                   for (std::uint64_t number = 1; number <= last; ++number, ++done) {
                     ping.await(number);
                     now.pause();
                     pong.publish(number);
                   }
                 }},
                [&] { return (ping.published > pong.publishing || ping.hangs() ? ping : pong).why_stuck(); });
}

void check_stop(AnySignal& signal) {
  check_ends(
      signal.awaiting + "()", kAwaited, [&] { signal.stop(); },
      [&] {
        const std::uint64_t seen = signal.await(1);
        if (seen < signals::kStopped)
          refuse(signal.awaiting + "(1) gave " + text(seen) +
                 " when the signal was stopped: at least 2^62 is due then.");
      });
}

// --- locks ---

constexpr std::size_t kLockers = 4;
constexpr std::uint64_t kAcquisitions = 100'000;

// --- queues ---

constexpr std::uint64_t kLetters = 100'000;
constexpr std::size_t kFew = 8;
constexpr std::size_t kMany = 1024;

Letter letter_of(std::uint64_t producer, std::uint64_t number) {
  Letter letter{.id = queues::id_of(producer, number), .stamp = queues::id_of(producer, number), .words = {}};
  letter.words.fill(letter.id);
  return letter;
}

/// What has come of a producer's letters, 0, 1, 2, ....
struct Arrivals {
  std::vector<bool> came = std::vector<bool>(kLetters + 1);
  std::uint64_t next = 0;               ///< One more than the highest.
  std::atomic<std::uint64_t> sent{0};   ///< Messages sent.
  std::atomic<std::uint64_t> taken{0};  ///< Messages taken.
  std::string name;                     ///< " of producer 1", where there are several.

  void take(std::uint64_t number) {
    if (came[number]) refuse("Doubled: message " + text(number) + name + " came twice.");
    came[number] = true;
    if (number < next)
      refuse("Reordered: message " + text(number) + name + " came after message " + text(next - 1) + ".");
    next = number + 1;
    ++taken;
  }

  /// The first that was sent and did not come; as many as were sent where all came.
  [[nodiscard]] std::uint64_t first_missing() const {
    return static_cast<std::uint64_t>(std::find(came.begin(), came.begin() + static_cast<std::ptrdiff_t>(sent), false) -
                                      came.begin());
  }
};

void refuse_missing(const std::vector<Arrivals>& of) {
  for (const Arrivals& one : of)
    if (const std::uint64_t missing = one.first_missing(); missing < one.sent)
      refuse("Lost: message " + text(missing) + one.name + " of " + text(one.sent) + " that were sent did not come.");
}

class Post {
 public:
  Post(const QueueUnderTest& of, std::size_t size)
      : of_(of), queue_(of.make(size)), arrivals_(of.many_producers ? kProducers : 1) {
    for (std::size_t producer = 0; arrivals_.size() > 1 && producer < arrivals_.size(); ++producer)
      arrivals_[producer].name = " of producer " + std::to_string(producer);
  }

  void check() {
    std::vector<Together::Part> parts{[this](Operations& done) { take_all(done); }};
    for (std::size_t producer = 0; producer < arrivals_.size(); ++producer)
      parts.emplace_back([this, producer](Operations& done) { send_all(producer, done); });
    Together::run(parts, [this] { return why_stuck(); });
    refuse_missing(arrivals_);
  }

 private:
  void send_all(std::size_t producer, Operations& done) {
    NowAndThen now(producer);
    const std::uint64_t began = platform::now_ns();
    const auto send = [&](std::uint64_t number) {
      if (!queue_->send(letter_of(producer, number))) refuse(of_.send + " gave up although nobody stopped the queue.");
      ++done;
    };
    Arrivals& mine = arrivals_[producer];
    for (std::uint64_t number = 0; number < kLetters && !is_enough(number, began); ++number) {
      now.pause();
      mine.sent = number + 1;
      send(number);
    }
    ++ended_;
    send(queues::kEnd);
  }

  void take_all(Operations& done) {
    NowAndThen now(7);
    for (std::size_t ends = 0; ends < arrivals_.size(); ++done) {
      now.pause();
      Letter letter{};
      if (!queue_->take(letter)) refuse(of_.take + " gave up although nobody stopped the queue.");
      const std::uint64_t producer = queues::producer_of(letter.id);
      const std::uint64_t number = queues::number_of(letter.id);
      const bool is_end = number == queues::kEnd;
      const bool whole = letter.stamp == letter.id &&
                         std::ranges::all_of(letter.words, [&](std::uint64_t word) { return word == letter.id; });
      if (!whole) refuse("Torn: a message came whose words are not all of one message.");
      if (producer >= arrivals_.size() || (!is_end && number >= arrivals_[producer].sent))
        refuse("A message came that nobody had sent.");
      if (is_end)
        ++ends;
      else
        arrivals_[producer].take(number);
    }
  }

  /// Nobody moves: either the taker waits for what was sent, or a sender waits for space.
  std::string why_stuck() {
    if (ended_ < arrivals_.size())
      return "Nothing moves any more after " + text(arrivals_.front().taken) +
             " messages: a sender waits for space, or the taker for what was sent. "
             "A wake-up was lost, or the queue stays full or empty.";
    if (!of_.waits()) refuse_missing(arrivals_);
    for (const Arrivals& one : arrivals_)
      if (const std::uint64_t missing = one.first_missing(); missing < one.sent)
        return "A wake-up was lost, or a message: message " + text(missing) + one.name + " of " + text(one.sent) +
               " that were sent has not come for some seconds.";
    return "A wake-up was lost, or the last message: it was sent and has not come for some seconds.";
  }

  const QueueUnderTest& of_;
  std::unique_ptr<AnyQueue> queue_;
  std::vector<Arrivals> arrivals_;
  std::atomic<std::size_t> ended_{0};
};

void check_stops_taker(const QueueUnderTest& of) {
  const auto queue = of.make(kFew);
  check_ends(
      of.take + " of an empty queue", kAwaited, [&] { queue->stop(); },
      [&] {
        Letter letter{};
        if (queue->take(letter)) refuse(of.take + " gave a message of a queue to which nobody sent one.");
      });
}

/// It is stopped once no message went in for a while: one that is never full is still found so, on a busy CPU too.
void check_stops_sender(const QueueUnderTest& of) {
  constexpr std::uint64_t kFar = 10'000;
  const auto queue = of.make(kFew);
  std::atomic<std::uint64_t> number{0};
  std::uint64_t looked = 0;
  std::uint64_t moved_ns = platform::now_ns();
  check_ends(
      of.send + " to a full queue", 0,
      [&] {
        if (const std::uint64_t sent = number; std::exchange(looked, sent) != sent) moved_ns = platform::now_ns();
        if (platform::now_ns() - moved_ns > kFilled) queue->stop();
      },
      [&] {
        for (; queue->send(letter_of(0, number)); ++number)
          if (number > kFar)
            refuse("It took " + text(kFar) + " messages and was to hold " + text(kFew) + ": it is never full. Say `" +
                   of.unbounded + "` in it.");
      });
}

void check_full(const QueueUnderTest& of) {
  constexpr std::size_t kFar = 100'000;
  Together::run(
      {[&](Operations&) {
        const std::size_t taken = of.fill(kFew, kFar);
        if (taken == 0) refuse(of.send + " took no message although the queue was empty.");
        if (of.bounded && taken == kFar)
          refuse("It took " + text(kFar) + " messages and was to hold " + text(kFew) + ": it is never full. Say `" +
                 of.unbounded + "` in it.");
      }},
      [&] { return of.send + " to a full queue has not returned for some seconds: it is to give false then."; });
}

}  // namespace

void check_signal(const std::function<std::unique_ptr<AnySignal>()>& make) {
  guarded([&] {
    check_alone(*make());
    check_turns(*make(), *make());
    check_stop(*make());
  });
}

void check_lock(const std::function<std::unique_ptr<AnyLock>()>& make) {
  std::unique_ptr<AnyLock> lock;
  guarded([&] { lock = make(); });
  std::atomic<std::uint64_t> inside{0};
  std::uint64_t counter = 0;
  std::atomic<std::uint64_t> made{0};
  const std::uint64_t began = platform::now_ns();
  const auto contend = [&](std::uint64_t seed) {
    return [&, seed](Operations& done) {
      NowAndThen now(seed);
      for (std::uint64_t turn = 0; turn < kAcquisitions && !is_enough(turn, began); ++turn, ++done) {
        lock->hold([&] {
          if (inside.exchange(seed, std::memory_order_relaxed) != 0) refuse("Two threads were inside at once.");
          if (turn % 16 == 0) now.pause();
          ++counter;
          inside.store(0, std::memory_order_relaxed);
        });
        ++made;
      }
    };
  };
  std::vector<Together::Part> parts;
  for (std::size_t thread = 1; thread <= kLockers; ++thread) parts.emplace_back(contend(thread));
  Together::run(parts, [&] {
    return "No thread gets the lock any more after " + text(made) + " times: a release was lost, or it deadlocks.";
  });
  if (counter != made)
    refuse("Two threads were inside at once: of " + text(made) + " increments " + text(made - counter) + " were lost.");
}

void check_queue(const QueueUnderTest& of) {
  guarded([&] {
    if (of.waits()) {
      check_stops_taker(of);
      if (of.bounded) check_stops_sender(of);
    } else {
      check_full(of);
    }
    for (const std::size_t size : {kFew, kMany}) Post(of, size).check();
  });
}

}  // namespace threadping::own

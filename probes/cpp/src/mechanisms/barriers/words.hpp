#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mechanisms/barrier.hpp"
#include "platform/futex.hpp"

namespace threadping::barriers {

/// A way to wait at a word, and to notify those who wait that it has grown. It is a small value:
/// - await(word, wanted, stopped): until the word has come so far, or stopped.
/// - notify(word, most): the word has grown; wakes at most `most`.

/// Sleeps in the kernel at once: each notification is a system call, whether anybody sleeps or not.
struct Asleep {
  explicit Asleep(const Shape& /*shape*/, const engine::Params& /*params*/) {}

  static void await(Word& word, std::uint32_t wanted, const std::atomic<bool>& stopped) {
    for (std::uint32_t seen = 0; !reached(seen = word.value.load(std::memory_order_acquire), wanted);) {
      if (stopped.load(std::memory_order_relaxed)) return;
      platform::futex_wait(word.value, seen, platform::Sharing::threads);
    }
  }
  static void notify(Word& word, int most) { platform::futex_wake(word.value, platform::Sharing::threads, most); }
};

/// Never sleeps.
struct Awake {
  bool crowded;

  explicit Awake(const Shape& shape, const engine::Params& /*params*/) : crowded(shape.crowded) {}

  void await(const Word& word, std::uint32_t wanted, const std::atomic<bool>& stopped) const {
    Spinning again(crowded);
    while (!reached(word.value.load(std::memory_order_acquire), wanted)) {
      if (stopped.load(std::memory_order_relaxed)) return;
      again();
    }
  }
  static void notify(const Word& /*word*/, int /*most*/) {}
};

/// Spins for `spins` polls, and then sleeps: what pools of threads do. Only for those who sleep is there a system call.
///
/// The write that must be seen is the word. A thread that is about to sleep counts itself in and then polls once more,
/// as the kernel does too; the notifier has grown the word and then checks for blocked threads. All in sequentially
/// consistent order, so that at least one sees the other's.
struct AwakeThenAsleep {
  static constexpr std::array<engine::ParamInfo, 1> kParams{{{.name = "spins", .number = 1000, .most = 1'000'000'000}}};

  bool crowded;
  std::int64_t spins;

  AwakeThenAsleep(const Shape& shape, const engine::Params& params)
      : crowded(shape.crowded), spins(params.number("spins")) {}

  void await(Word& word, std::uint32_t wanted, const std::atomic<bool>& stopped) const {
    Spinning again(crowded);
    for (std::int64_t left = spins; left > 0; --left) {
      if (reached(word.value.load(std::memory_order_acquire), wanted) || stopped.load(std::memory_order_relaxed))
        return;
      again();
    }
    ++word.asleep;
    for (std::uint32_t seen = 0; !reached(seen = word.value.load(), wanted);) {
      if (stopped.load(std::memory_order_relaxed)) break;
      platform::futex_wait(word.value, seen, platform::Sharing::threads);
    }
    --word.asleep;
  }
  static void notify(Word& word, int most) {
    if (word.asleep.load() > 0) platform::futex_wake(word.value, platform::Sharing::threads, most);
  }
};

/// What all barriers of words are made of: a counter of those who have arrived, at which the coordinator waits, and the
/// end of all waits. The last to arrive notifies the coordinator.
template <class Way>
class Arrivals {
 public:
  void arrive(std::uint64_t due) {
    if (arrived_.value.fetch_add(1) + 1 == word_of(due)) way_.notify(arrived_, 1);
  }
  void join(std::uint64_t due) { way_.await(arrived_, word_of(due), stopped_); }

 protected:
  Arrivals(const Shape& shape, const engine::Params& params) : way_(shape, params) {}

  /// A word that has grown is not what a thread saw that is about to sleep: it does not miss this notification.
  void end(Word& word) {
    stopped_.store(true);
    for (Word* one : {&word, &arrived_}) {
      ++one->value;
      platform::futex_wake(one->value, platform::Sharing::threads, INT_MAX);
    }
  }

  const Way way_;
  std::atomic<bool> stopped_{false};

 private:
  Word arrived_;
};

/// The round in one word, at which all workers wait.
template <class Way>
class ByOneWord : Arrivals<Way> {
 public:
  static constexpr bool kChooses = false;

  ByOneWord(const Shape& shape, const engine::Params& params) : Arrivals<Way>(shape, params), workers_(shape.workers) {}

  void release(std::uint64_t round, Wanted /*wanted*/) {
    round_.value.store(word_of(round));
    this->way_.notify(round_, INT_MAX);
  }
  void await(std::size_t /*worker*/, std::uint64_t round) { this->way_.await(round_, word_of(round), this->stopped_); }
  void arrive(std::size_t /*worker*/, std::uint64_t round) { Arrivals<Way>::arrive(round * workers_); }
  void join(std::uint64_t round) { Arrivals<Way>::join(round * workers_); }
  void stop() { this->end(round_); }

 private:
  const std::size_t workers_;
  Word round_;
};

/// All that sleep at one word are woken by one system call.
struct FutexAll : ByOneWord<Asleep> {
  static constexpr std::string_view kName = "futex-all";
  static constexpr bool kBlocking = true;
  using ByOneWord::ByOneWord;
};

/// A flag and a counter: the least that can be done by memory alone.
struct SpinAll : ByOneWord<Awake> {
  static constexpr std::string_view kName = "spin-all";
  static constexpr bool kBlocking = false;
  using ByOneWord::ByOneWord;
};

/// As pools of threads wait: the knob that rayon, .NET and others tune.
struct SpinThenSleep : ByOneWord<AwakeThenAsleep> {
  static constexpr std::string_view kName = "spin-then-sleep";
  static constexpr bool kBlocking = true;
  static constexpr auto kParams = AwakeThenAsleep::kParams;
  using ByOneWord::ByOneWord;
};

/// A word for each worker, at which it alone sleeps: only those are woken whom a round wants, and each costs a system
/// call. In a `tree` the coordinator wakes only the first, and each that is woken wakes two more before it goes on.
template <bool kTree>
class ByWords : Arrivals<Asleep> {
 public:
  static constexpr bool kBlocking = true;
  static constexpr bool kChooses = true;

  ByWords(const Shape& shape, const engine::Params& params)
      : Arrivals(shape, params), shape_(shape), count_(wanted_of(shape)), words_(shape.workers) {}

  void release(std::uint64_t round, Wanted wanted) {
    for (std::size_t place = 0; place < (kTree ? 1 : wanted.count); ++place) wake(round, wanted.first, place);
  }
  void await(std::size_t worker, std::uint64_t round) {
    Asleep::await(words_[worker], word_of(round), stopped_);
    if constexpr (kTree) {
      const std::size_t first = (round - 1) * count_ % shape_.workers;
      const std::size_t place = (worker + shape_.workers - first) % shape_.workers;
      for (const std::size_t child : {2 * place + 1, 2 * place + 2})
        if (child < count_) wake(round, first, child);
    }
  }
  void arrive(std::size_t /*worker*/, std::uint64_t round) { Arrivals::arrive(round * count_); }
  void join(std::uint64_t round) { Arrivals::join(round * count_); }
  void stop() {
    for (std::size_t worker = 0; worker < shape_.workers; ++worker) end(words_[worker]);
  }

 private:
  static std::size_t wanted_of(const Shape& shape) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(shape.workers, shape.jobs_a_round()));
  }
  void wake(std::uint64_t round, std::size_t first, std::size_t place) {
    Word& word = words_[(first + place) % shape_.workers];
    word.value.store(word_of(round));
    Asleep::notify(word, 1);
  }

  const Shape shape_;
  const std::size_t count_;
  std::vector<Word> words_;
};

struct FutexEach : ByWords<false> {
  static constexpr std::string_view kName = "futex-each";
  using ByWords::ByWords;
};

struct FutexTree : ByWords<true> {
  static constexpr std::string_view kName = "futex-tree";
  using ByWords::ByWords;
};

}  // namespace threadping::barriers

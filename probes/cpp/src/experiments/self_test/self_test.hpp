#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "experiments/self_test/planted.hpp"
#include "experiments/signal/players.hpp"

namespace threadping::self_test {

/// Plays pong as `signal` does. Ahead of its first visits, which are the warm-up's, it times the delay by itself: where
/// it runs, and while ping waits as it does in every turn. (Timed before anything ran, a delay was 3% shorter than in
/// the loop: two virtual CPUs of an AMD EPYC, both busy.)
class DelayedPlayer final : public engine::Player {
 public:
  DelayedPlayer(std::unique_ptr<engine::Player> plays, const Delays& delays, std::atomic<std::uint64_t>& alone_ps)
      : plays_(std::move(plays)), delays_(delays), alone_ps_(alone_ps) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    if (timed_ < kTimings) time_delay();
    return plays_->run(task, samples);
  }

 private:
  static constexpr std::size_t kTimings = 15;

  /// Once more; the median so far is reported. Ping waits meanwhile: nothing here allocates.
  void time_delay() {
    sorted_ps_[timed_++] = picoseconds_of(delays_.steps);
    std::ranges::sort(std::span(sorted_ps_).first(timed_));
    alone_ps_.store(sorted_ps_[timed_ / 2], std::memory_order_relaxed);
  }

  const std::unique_ptr<engine::Player> plays_;
  const Delays delays_;
  std::atomic<std::uint64_t>& alone_ps_;
  std::array<std::uint64_t, kTimings> sorted_ps_{};
  std::size_t timed_ = 0;
};

/// Plays ping, and also reports what was planted: what the delay took alone, and of the turns that were timed how many
/// waited for a stall.
class TellingPlayer final : public engine::Player {
 public:
  TellingPlayer(std::unique_ptr<engine::Player> plays, const Delays& delays, const std::atomic<std::uint64_t>& alone_ps,
                std::size_t lines)
      : plays_(std::move(plays)), delays_(delays), alone_ps_(alone_ps), taken_(lines) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    const std::uint64_t done = plays_->run(task, samples);
    std::uint64_t& taken = taken_[task.line];
    if (task.every > 0) {
      const std::uint64_t stalls = delays_.stalls(taken, done);
      samples.tally(0, stalls, stalls);
      samples.number(0, alone_ps_.load(std::memory_order_relaxed));
    }
    taken += done;
    return done;
  }

 private:
  const std::unique_ptr<engine::Player> plays_;
  const Delays delays_;
  const std::atomic<std::uint64_t>& alone_ps_;
  std::vector<std::uint64_t> taken_;  ///< For each line, how many turns.
};

/// The cells of a planted pair, and both its sides.
template <signals::Pair P>
class SelfTestStage final : public engine::Stage {
 public:
  explicit SelfTestStage(const engine::Setup& setup) : lines_(setup.lines), delays_(setup.params), signal_(setup) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    if (thread == signal::kPong) return std::make_unique<DelayedPlayer>(signal_.player(thread), delays_, alone_ps_);
    return std::make_unique<TellingPlayer>(signal_.player(thread), delays_, alone_ps_, lines_);
  }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread; }
  void stop(std::size_t line) override { signal_.stop(line); }
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override { return signal_.progress(line); }
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    return signal_.counts(ops);
  }
  [[nodiscard]] const std::byte* memory() const override { return signal_.memory(); }

 private:
  const std::size_t lines_;
  const Delays delays_;
  std::atomic<std::uint64_t> alone_ps_{0};
  signal::SignalStage<Planted<P>> signal_;
};

}  // namespace threadping::self_test

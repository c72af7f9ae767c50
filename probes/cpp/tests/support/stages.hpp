#pragma once

#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/experiment.hpp"
#include "platform/clock.hpp"

namespace threadping::tests {

/// Keeps all that a player leaves.
class Kept : public engine::Samples {
 public:
  explicit Kept(std::size_t capacity = 1 << 16) : timing_buffer_(capacity), number_buffer_(capacity) {
    timings_ = timing_buffer_;
    numbers_ = number_buffer_;
    ops_ = &ops;
    sampling_ = true;
  }

  void about_to_time() override { ++about; }

  /// What was added since it was asked last.
  std::vector<engine::Timing> take() {
    settle();
    return std::exchange(timings, {});
  }

  [[nodiscard]] bool others_wait() const { return others_wait_; }
  [[nodiscard]] engine::Tally tally() const { return tallies_[0]; }
  [[nodiscard]] std::uint64_t readings() const { return readings_; }
  void sample(bool sampling) { sampling_ = sampling; }

  std::vector<engine::Timing> timings;
  std::vector<std::uint64_t> numbers;
  std::atomic<std::uint64_t> ops = 0;
  int about = 0;

 private:
  void settle() override {
    for (const engine::Timing& timing : timings_.first(std::exchange(added_, 0))) timings.push_back(timing);
    for (const engine::Number& number : numbers_.first(std::exchange(numbered_, 0))) numbers.push_back(number.value);
  }

  std::vector<engine::Timing> timing_buffer_;
  std::vector<engine::Number> number_buffer_;
};

/// A stage and its players, each made by the thread that plays first.
class Acting {
 public:
  Acting(std::unique_ptr<engine::Stage> on, std::size_t threads)
      : stage(std::move(on)), players_(threads), ops_(threads) {
    for (std::size_t thread = 0; thread < threads; ++thread) samples.push_back(std::make_unique<Kept>());
  }

  std::uint64_t run(std::size_t thread, const engine::Task& task) {
    const std::uint64_t done = player(thread).run(task, *samples[thread]);
    ops_[thread] += done;
    return done;
  }
  std::uint64_t plain(std::size_t thread, std::uint32_t line, std::uint64_t count) {
    return run(thread, {.line = line, .count = count});
  }
  /// Each operation timed.
  std::uint64_t timed(std::size_t thread, std::uint32_t line, std::uint64_t count, std::uint64_t opened_ns = 0) {
    return run(thread, {.line = line, .count = count, .every = 1, .opened_ns = opened_ns});
  }
  void leave(std::size_t thread) { ops_[thread] += player(thread).leave(*samples[thread]); }
  std::vector<engine::Timing> taken(std::size_t thread) { return samples[thread]->take(); }

  [[nodiscard]] contract::Counts counts() const { return stage->counts(ops_); }

  const std::unique_ptr<engine::Stage> stage;
  std::vector<std::unique_ptr<Kept>> samples;

 private:
  engine::Player& player(std::size_t thread) {
    if (!players_[thread]) players_[thread] = stage->player(thread);
    return *players_[thread];
  }

  std::vector<std::unique_ptr<engine::Player>> players_;
  std::vector<std::uint64_t> ops_;
};

/// Operations that do nothing, on no cells, and take a nanosecond where they are timed, from the window's opening on.
class NoWork : public engine::Stage {
 public:
  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<Delegate>(*this, thread);
  }
  [[nodiscard]] std::size_t role_of(std::size_t /*thread*/) const override { return 0; }
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> /*ops*/) const override { return {}; }
  [[nodiscard]] const std::byte* memory() const override { return reinterpret_cast<const std::byte*>(this); }

  virtual std::uint64_t run(std::size_t /*thread*/, const engine::Task& task, engine::Samples& samples) {
    for (std::uint64_t done = 0; task.every > 0 && done < task.count; done += task.every)
      samples.add(task.opened_ns, task.opened_ns + 1);
    return task.count;
  }
  virtual std::uint64_t leave(std::size_t /*thread*/) { return 0; }

 private:
  struct Delegate : engine::Player {
    Delegate(NoWork& whole, std::size_t who) : all(whole), thread(who) {}
    std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
      return all.run(thread, task, samples);
    }
    std::uint64_t leave(engine::Samples& /*samples*/) override { return all.leave(thread); }
    NoWork& all;
    std::size_t thread;
  };
};

/// What another stage's players do; a test overrides what is to be different.
class Wrapped : public engine::Stage {
 public:
  explicit Wrapped(std::unique_ptr<engine::Stage> stage) : stage_(std::move(stage)) {}
  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<Delegate>(*this, thread, stage_->player(thread));
  }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return stage_->role_of(thread); }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override {
    return stage_->compares_clocks(one, other);
  }
  void stop(std::size_t line) override { stage_->stop(line); }
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override { return stage_->progress(line); }
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    return stage_->counts(ops);
  }
  [[nodiscard]] const std::byte* memory() const override { return stage_->memory(); }
  [[nodiscard]] platform::Sharing sharing() const override { return stage_->sharing(); }
  [[nodiscard]] bool brings(std::size_t thread) const override { return stage_->brings(thread); }
  void act_by(engine::Brought& brought) override { stage_->act_by(brought); }

  virtual std::uint64_t run(std::size_t /*thread*/, engine::Player& player, const engine::Task& task,
                            engine::Samples& samples) {
    return player.run(task, samples);
  }

 private:
  struct Delegate : engine::Player {
    Delegate(Wrapped& whole, std::size_t who, std::unique_ptr<engine::Player> other)
        : all(whole), thread(who), player(std::move(other)) {}
    std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
      return all.run(thread, *player, task, samples);
    }
    std::uint64_t leave(engine::Samples& samples) override { return player->leave(samples); }
    Wrapped& all;
    std::size_t thread;
    std::unique_ptr<engine::Player> player;
  };

  std::unique_ptr<engine::Stage> stage_;
};

}  // namespace threadping::tests

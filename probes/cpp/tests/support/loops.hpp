#pragma once

#include <algorithm>
#include <memory>

#include "engine/experiment.hpp"

namespace threadping::tests {

/// Operations that do nothing, on no cells, and take a nanosecond where they are timed, from the window's opening on.
class NoWork : public engine::Loops {
 public:
  std::uint64_t plain(std::size_t /*thread*/, std::size_t /*line*/, std::uint64_t count) override { return count; }
  std::uint64_t timed(std::size_t /*thread*/, std::size_t /*line*/, std::uint64_t opened_ns,
                      std::span<engine::Timing> timings) override {
    std::ranges::fill(timings, engine::Timing{.from_ns = opened_ns, .to_ns = opened_ns + 1});
    return timings.size();
  }
  contract::Counts counts(std::uint64_t /*made*/) override { return {}; }
  [[nodiscard]] const std::byte* memory() const override { return reinterpret_cast<const std::byte*>(this); }
};

/// What other loops do; a test overrides what is to be different.
class Wrapped : public engine::Loops {
 public:
  explicit Wrapped(std::unique_ptr<engine::Loops> loops) : loops_(std::move(loops)) {}
  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    return loops_->plain(thread, line, count);
  }
  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t opened_ns,
                      std::span<engine::Timing> timings) override {
    return loops_->timed(thread, line, opened_ns, timings);
  }
  [[nodiscard]] bool times_all(std::size_t thread) const override { return loops_->times_all(thread); }
  bool between(std::size_t thread, std::size_t line) override { return loops_->between(thread, line); }
  void leave(std::size_t thread, std::size_t line) override { loops_->leave(thread, line); }
  bool warmed_up() override { return loops_->warmed_up(); }
  void begin() override { loops_->begin(); }
  [[nodiscard]] std::size_t role(std::size_t thread, std::size_t roles) const override {
    return loops_->role(thread, roles);
  }
  [[nodiscard]] bool counted(std::size_t thread) const override { return loops_->counted(thread); }
  void stop(std::size_t line) override { loops_->stop(line); }
  std::uint64_t progress(std::size_t line) override { return loops_->progress(line); }
  contract::Counts counts(std::uint64_t made) override { return loops_->counts(made); }
  contract::Distributions distributions() override { return loops_->distributions(); }
  [[nodiscard]] const std::byte* memory() const override { return loops_->memory(); }
  [[nodiscard]] platform::Sharing sharing() const override { return loops_->sharing(); }

 private:
  std::unique_ptr<engine::Loops> loops_;
};

}  // namespace threadping::tests

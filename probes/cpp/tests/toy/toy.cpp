#include "toy/toy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>

#include "engine/experiment.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"

namespace threadping::toy {
namespace {

/// A load and a store: enough where nobody else writes.
struct StoreAdd {
  static constexpr std::string_view kName = "store-add";
  static void add(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

/// One locked instruction.
struct LockedAdd {
  static constexpr std::string_view kName = "locked-add";
  static void add(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }
};

/// A counter for each thread, on a line of its own.
struct alignas(platform::kLinePair) Counter {
  std::atomic<std::uint64_t> value = 0;
};
using Cell = std::array<Counter, 2>;

/// Adds to its own counter.
template <class Mechanism>
class Adder final : public engine::Player {
 public:
  Adder(std::size_t thread, const platform::Lines<Cell>& lines) : thread_(thread), lines_(lines) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    auto& counter = lines_[task.line][thread_].value;
    for (std::uint64_t done = 0; done < task.count; ++done) {
      const bool timed = task.every > 0 && done % task.every == task.every / 2;
      const std::uint64_t from_ns = timed ? platform::now_ns() : 0;
      Mechanism::add(counter);
      if (timed) samples.add(from_ns, platform::now_ns());
    }
    if (task.every > 0) samples.read_clock(2 * task.count / task.every);
    return task.count;
  }

 private:
  const std::size_t thread_;
  const platform::Lines<Cell>& lines_;
};

template <class Mechanism>
class ToyStage final : public engine::Stage {
 public:
  explicit ToyStage(const engine::Setup& setup) : lines_(setup.lines) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<Adder<Mechanism>>(thread, lines_);
  }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return thread; }

  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    contract::Held held{.made = std::reduce(ops.begin(), ops.end())};
    for (std::size_t line = 0; line < lines_.size(); ++line)
      for (const Counter& counter : lines_[line]) held.found += counter.value;
    return {{"increments", held}};
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  const platform::Lines<Cell> lines_;
};

constexpr std::array<std::string_view, 1> kTimed{"increment"};

template <class M>
engine::Mechanism mechanism(const engine::Description& words) {
  return {.name = M::kName,
          .blocking = false,
          .timed = kTimed,
          .lines = 1,
          .words = words,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<ToyStage<M>>(setup);
          }};
}

constexpr std::array<engine::Role, 2> kRoles{{{.name = "left", .counts = true}, {.name = "right", .counts = true}}};

engine::Experiment led(contract::Unit windows) {
  return {.name = "toy",
          .roles = kRoles,
          .least_threads = 2,
          .most_threads = 2,
          .windows = windows,
          .stalled = "Nobody adds any more.",
          .mechanisms = {
              mechanism<StoreAdd>({.summary = "Loads, adds and stores.", .costs = "A store; for a single writer."}),
              mechanism<LockedAdd>({.summary = "Adds in one locked instruction.", .costs = "A locked instruction."}),
          }};
}

}  // namespace

const engine::Experiment& experiment(contract::Unit windows) {
  static const engine::Experiment from_outside = led(contract::Unit::ns);
  static const engine::Experiment by_the_first = led(contract::Unit::ops);
  return windows == contract::Unit::ns ? from_outside : by_the_first;
}

}  // namespace threadping::toy

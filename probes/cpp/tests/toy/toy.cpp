#include "toy/toy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/experiment.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "toy/mechanisms.hpp"

namespace threadping::toy {
namespace {

/// A counter for each thread, on a line of its own.
struct alignas(platform::kLinePair) Counter {
  std::atomic<std::uint64_t> value = 0;
};
using Cell = std::array<Counter, 2>;

template <class Mechanism>
class ToyLoops final : public engine::Loops {
 public:
  explicit ToyLoops(const engine::Setup& setup) : lines_(setup.lines) {}

  std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
    auto& counter = lines_[line][thread].value;
    for (std::uint64_t done = 0; done < count; ++done) Mechanism::add(counter);
    return count;
  }

  std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<engine::Timing> timings) override {
    auto& counter = lines_[line][thread].value;
    for (engine::Timing& timing : timings) {
      timing.from_ns = platform::now_ns();
      Mechanism::add(counter);
      timing.to_ns = platform::now_ns();
    }
    return timings.size();
  }

  contract::Counts counts(std::uint64_t made) override {
    contract::Held held{.made = made};
    for (std::size_t line = 0; line < lines_.size(); ++line)
      for (const Counter& counter : lines_[line]) held.found += counter.value;
    return {{"increments", held}};
  }

  [[nodiscard]] const std::byte* memory() const override { return lines_.memory(); }

 private:
  platform::Lines<Cell> lines_;
};

constexpr std::array<std::string_view, 1> kTimed{"increment"};

template <class M>
engine::Mechanism mechanism(const engine::Words& words) {
  return {.name = M::kName,
          .blocking = false,
          .timed = kTimed,
          .lines = 1,
          .words = words,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Loops> {
            return std::make_unique<ToyLoops<M>>(setup);
          }};
}

constexpr std::array<std::string_view, 2> kRoles{"left", "right"};

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

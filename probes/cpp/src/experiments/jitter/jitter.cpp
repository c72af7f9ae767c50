#include "experiments/jitter/jitter.hpp"

#include <array>

#include "experiments/all.hpp"

namespace threadping::jitter {
namespace {

constexpr std::array<std::string_view, 1> kGap{"gap"};
constexpr std::array<engine::Role, 1> kRoles{{{.name = "reader", .counts = true}}};

/// From how many nanoseconds on two readings have a gap between them.
constexpr std::array<engine::ParamInfo, 1> kParams{
    {{.name = "min-stall", .number = 1'000, .least = 100, .most = 1'000'000'000}}};

template <class Clock>
engine::Mechanism mechanism() {
  return {.name = Clock::kName,
          .blocking = false,
          .timed = kGap,
          .lines = 1,
          .params = kParams,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<JitterStage<Clock>>(static_cast<std::uint64_t>(setup.params.number("min-stall")));
          }};
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment jitter{
      .name = "jitter",
      .roles = kRoles,
      .least_threads = 1,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No thread gets a CPU to read the clock any more.",
      .mechanisms = {mechanism<MonotonicClock>()},
  };
  return jitter;
}

}  // namespace threadping::jitter

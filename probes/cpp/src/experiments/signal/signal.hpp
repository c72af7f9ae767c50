#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/signal/players.hpp"
#include "mechanisms/signal.hpp"

namespace threadping::signal {

inline constexpr std::array<std::string_view, 1> kRoundTrip{"round-trip"};

template <class Pair>
[[gnu::noinline]] std::unique_ptr<engine::Stage> stage_of(const engine::Setup& setup) {
  return std::make_unique<SignalStage<Pair>>(setup);
}

/// The parameters of a pair of S: it may be shared between processes where S can.
template <class S>
constexpr auto kParamsOf = [] {
  if constexpr (requires { S::kBetweenProcesses; }) {
    return engine::params_with<S>(std::array{signals::kBetweenParam});
  } else {
    return engine::params_with<S>(std::array<engine::ParamInfo, 0>{});
  }
}();

/// The number of lines of a pair that spins.
inline constexpr std::uint32_t kManyLines = 256;

/// A pair whose waiting side sleeps: compared with a wake-up, one line's place in the cache is negligible.
inline constexpr auto kSleeping = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kRoundTrip,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = stage_of<signals::TwoSignals<S>>};
};

inline constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "ping", .counts = true}, {.name = "pong", .counts = true}}};

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "signal",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ops,
      .stalled = "No handoff arrives any more: a signal was lost.",
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::signal

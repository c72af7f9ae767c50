#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/barrier/players.hpp"
#include "mechanisms/signal.hpp"

namespace threadping::barrier {

inline constexpr std::int64_t kMostSteps = 1'000'000;
inline constexpr std::int64_t kMostJobs = 1'000'000;
inline constexpr std::int64_t kLongestPause = 100'000;

/// Whether rounds follow each other with a pause between them, or begin with the ticks of a clock.
inline constexpr std::array<std::string_view, 2> kPacing{"pause", "period"};
inline constexpr std::array<std::string_view, 2> kJoin{"yes", "no"};

/// Steps of each job, and percent more of the last worker's; jobs a round (0: one for each worker); microseconds
/// between rounds; and, as the last, whether the coordinator waits at once: who forks always does.
inline constexpr std::array<engine::ParamInfo, 6> kParams{{
    {.name = "work", .most = kMostSteps},
    {.name = "imbalance", .most = 1'000},
    {.name = "jobs", .most = kMostJobs},
    {.name = "pause", .most = kLongestPause},
    {.name = "pacing", .choices = kPacing},
    {.name = "join", .choices = kJoin},
}};

template <class C>
constexpr auto kParamsOf = engine::params_with<C>(kParams);

/// The mechanism's own and those of the experiment; own ones may hang on what there is on this host.
template <class C>
std::span<const engine::ParamInfo> params_of() {
  if constexpr (requires { C::params(); }) {
    static const std::vector<engine::ParamInfo> all = [] {
      std::vector<engine::ParamInfo> made = C::params();
      made.insert(made.end(), kParams.begin(),
                  barriers::Bringing<C> && !Barrier<C> ? kParams.end() - 1 : kParams.end());
      return made;
    }();
    return all;
  } else {
    return kParamsOf<C>;
  }
}

inline constexpr std::array<engine::NumberInfo, 4> kNumbers{{{.name = "first", .unit = "ns"},
                                                             {.name = "last", .unit = "ns"},
                                                             {.name = "spread", .unit = "ns"},
                                                             {.name = "done", .unit = "ns"}}};
inline constexpr std::array<engine::Role, 2> kRoles{{{.name = "coordinator", .counts = true, .numbers = kNumbers},
                                                     {.name = "worker", .counts = false, .times = false}}};
inline constexpr std::array<std::string_view, 1> kTimed{"call"};

/// Of a barrier, or of what forks and joins; `needs` is what it lacks here.
template <class C>
engine::Mechanism mechanism(std::string_view needs = {}) {
  return {.name = C::kName,
          .blocking = C::kBlocking,
          .timed = kTimed,
          .lines = 1,
          .params = params_of<C>(),
          .needs = needs,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<BarrierStage<C>>(setup);
          }};
}

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "barrier",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No round ends any more: a worker was not woken, or one is missing.",
      .stream = true,
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::barrier

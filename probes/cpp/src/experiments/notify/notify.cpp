#include <array>
#include <string_view>

#include "experiments/all.hpp"
#include "experiments/notify/players.hpp"
#include "mechanisms/signals.hpp"

namespace threadping::notify {
namespace {

constexpr std::int64_t kLongestPause = 100'000;

/// The bytes that a notifier fills before each call, and the microseconds that it and its waiter pause before; the
/// defaults are the published ones.
constexpr std::array<engine::ParamInfo, 3> kParams{{
    {.name = "buffer", .number = 4096, .most = 1'048'576},
    {.name = "pause", .number = 1000, .most = kLongestPause},
    {.name = "waiter-pause", .number = 10, .most = kLongestPause},
}};
template <class S>
constexpr auto kParamsOf = signals::params_with<S>(kParams);

constexpr std::array<std::string_view, 1> kTallies{"wake-ups"};
constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "notifier", .counts = true}, {.name = "waiter", .counts = false, .tallies = kTallies}}};
constexpr std::array<std::string_view, 2> kTimed{"call", "wake"};

constexpr auto kMechanism = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<NotifyStage<S>>(setup);
          }};
};

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment notify{
      .name = "notify",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No waiter wakes any more: a call was lost.",
      .stream = true,
      .mechanisms = signals::Blocking::each(kMechanism),
  };
  return notify;
}

}  // namespace threadping::notify

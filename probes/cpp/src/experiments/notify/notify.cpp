#include "experiments/notify/notify.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "experiments/notify/players.hpp"
#include "notify/mechanism.hpp"
#include "notify/mechanisms/bells.hpp"
#include "notify/mechanisms/condition.hpp"
#include "notify/mechanisms/descriptors.hpp"
#include "notify/mechanisms/semaphore.hpp"

namespace threadping::notify {
namespace {

constexpr std::int64_t kLongestPause = 100'000;

/// The bytes that a notifier fills before each call, and the microseconds that it and its waiter pause afterwards; the
/// defaults are the published ones.
constexpr std::array<engine::ParamInfo, 3> kParams{{
    {.name = "buffer", .number = 4096, .most = 1'048'576},
    {.name = "pause", .number = 1000, .most = kLongestPause},
    {.name = "waiter-pause", .number = 10, .most = kLongestPause},
}};

constexpr std::array<std::string_view, 1> kTallies{"wake-ups"};
constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "notifier", .counts = true}, {.name = "waiter", .counts = false, .tallies = kTallies}}};
constexpr std::array<std::string_view, 2> kTimed{"call", "wake"};

template <NotifyMechanism M>
engine::Mechanism mechanism() {
  return {.name = M::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParams,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<NotifyStage<M>>(setup);
          }};
}

}  // namespace

const engine::Experiment& experiment() {
  /// A new mechanism is a file in mechanisms/ and a line here.
  static const engine::Experiment notify{
      .name = "notify",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No waiter wakes any more: a call was lost.",
      .stream = true,
      .mechanisms =
          {
              mechanism<Condition>(),
              mechanism<ConditionReleased>(),
              mechanism<Futex>(),
              mechanism<AtomicNotify>(),
              mechanism<Semaphore>(),
              mechanism<Eventfd>(),
              mechanism<Pipe>(),
          },
  };
  return notify;
}

}  // namespace threadping::notify

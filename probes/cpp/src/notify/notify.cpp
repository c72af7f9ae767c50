#include "notify/notify.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "mechanisms/signals.hpp"
#include "notify/loops.hpp"

namespace threadping::notify {
namespace {

constexpr std::int64_t kLongestPause = 100'000;

/// The bytes that a notifier fills before each call, and the microseconds that it and its waiter pause afterwards; the
/// defaults are the published ones.
constexpr std::array<crew::ParamInfo, 3> kParams{{
    {.name = "buffer", .number = 4096, .most = 1'048'576},
    {.name = "pause", .number = 1000, .most = kLongestPause},
    {.name = "waiter-pause", .number = 10, .most = kLongestPause},
}};

constexpr std::array<std::string_view, 2> kRoles{"notifier", "waiter"};
constexpr std::array<std::string_view, 2> kTimed{"call", "wake"};

template <class S>
constexpr auto kParamsOf = signals::params_with<S>(kParams);

constexpr auto kMechanism = []<class S>() -> crew::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = [](const crew::Setup& setup) -> std::unique_ptr<crew::Loops> {
            return std::make_unique<NotifyLoops<S>>(setup);
          }};
};

}  // namespace

const crew::Experiment& experiment() {
  static const crew::Experiment notify{
      .name = "notify",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = message::kMostThreads,
      .windows = message::Unit::ns,
      .stalled = "No waiter wakes any more: a call was lost.",
      .compares_clocks = true,
      .mechanisms = signals::Blocking::each(kMechanism),
  };
  return notify;
}

}  // namespace threadping::notify

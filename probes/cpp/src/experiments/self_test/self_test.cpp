#include "experiments/self_test/self_test.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include "experiments/all.hpp"
#include "mechanisms/signals/counter.hpp"
#include "mechanisms/signals/sleeping.hpp"
#include "waits/waits.hpp"

namespace threadping::self_test {

std::uint64_t raw_ns() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t picoseconds_of(std::uint64_t steps) {
  if (steps == 0) return 0;
  constexpr std::uint64_t kLong = 100'000;  // steps
  const std::uint64_t times = std::max<std::uint64_t>(1, kLong / steps);
  platform::Steps alone;
  const std::uint64_t from_ns = raw_ns();
  for (std::uint64_t time = 0; time < times; ++time) alone.take(steps);
  return (raw_ns() - from_ns) * 1'000 / times;
}

std::uint64_t steps_of(std::uint64_t ns) {
  constexpr int kBatches = 15;
  constexpr std::uint64_t kMany = 100'000;
  static const std::uint64_t many_ps = [] {  // once: all count alike
    std::uint64_t least_ps = UINT64_MAX;
    for (int batch = 0; batch < kBatches; ++batch) least_ps = std::min(least_ps, picoseconds_of(kMany));
    return std::max<std::uint64_t>(1, least_ps);
  }();
  return ns == 0 ? 0 : std::max<std::uint64_t>(1, ns * 1'000 * kMany / many_ps);
}

namespace {

constexpr std::array<std::string_view, 1> kRoundTrip{"round-trip"};
constexpr std::array<engine::NumberInfo, 1> kNumbers{{{.name = "delay-alone", .unit = "ps"}}};
constexpr std::array<std::string_view, 1> kTallies{"stalls"};
constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "ping", .counts = true, .numbers = kNumbers, .tallies = kTallies}, {.name = "pong", .counts = true}}};

constexpr std::int64_t kLongestDelay = 10'000'000;

/// Nanoseconds between seeing and answering in each of pong's turns, and more of them in every n-th.
constexpr std::array<engine::ParamInfo, 3> kParams{{
    {.name = "delay", .most = kLongestDelay},
    {.name = "stall-every", .most = 1'000'000'000},
    {.name = "stall", .most = kLongestDelay},
}};

template <class P>
engine::Mechanism mechanism(std::string_view name, bool blocking, std::uint32_t lines) {
  return {.name = name,
          .blocking = blocking,
          .timed = kRoundTrip,
          .lines = lines,
          .params = kParams,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<SelfTestStage<P>>(setup);
          }};
}

using Spinning = signals::TwoSignals<signals::Counter<signals::Release, waits::Spin>>;
using Sleeping = signals::TwoSignals<signals::Condition>;

}  // namespace

const engine::Experiment& experiment() {
  constexpr std::uint32_t kLines = 64;
  static const engine::Experiment self_test{
      .name = "self-test",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ops,
      .stalled = "No handoff arrives any more: a signal was lost.",
      .mechanisms = {mechanism<Spinning>("release-two-lines", false, kLines),
                     mechanism<Sleeping>("condition", true, 1)},
  };
  return self_test;
}

}  // namespace threadping::self_test

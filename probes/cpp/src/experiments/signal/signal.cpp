#include "experiments/signal/signal.hpp"

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "experiments/signal/players.hpp"
#include "signal/mechanisms/bells.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/condition.hpp"
#include "signal/mechanisms/descriptors.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/mechanisms/semaphore.hpp"
#include "signal/mechanisms/spin_then_park.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {
namespace {

constexpr std::array<std::string_view, 1> kRoundTrip{"round-trip"};
constexpr std::uint32_t kManyLines = 256;

template <class M>
std::unique_ptr<engine::Stage> stage_of(const engine::Setup& setup) {
  return std::make_unique<SignalStage<M>>(setup);
}

/// A protocol that keeps looking, with every wait.
template <class Protocol>
engine::Mechanism spinning() {
  return {.name = Protocol::kName,
          .blocking = false,
          .timed = kRoundTrip,
          .lines = kManyLines,
          .params = kLockFreeParams,
          .make = [](const engine::Setup& setup) {
            return waits::with_wait(setup.params,
                                    [&]<class Wait> { return stage_of<LockFree<Protocol, Wait>>(setup); });
          }};
}

/// A mechanism whose waiting side sleeps: beside a wake-up one line's place in the cache is nothing.
template <class M>
engine::Mechanism sleeping(std::span<const engine::ParamInfo> params = {}) {
  return {.name = M::kName, .blocking = true, .timed = kRoundTrip, .lines = 1, .params = params, .make = stage_of<M>};
}

constexpr std::array<engine::Role, 2> kRoles{{{.name = "ping", .counts = true}, {.name = "pong", .counts = true}}};

}  // namespace

const engine::Experiment& experiment() {
  /// A new mechanism is a file in mechanisms/ and a line here.
  static const engine::Experiment signal{
      .name = "signal",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ops,
      .stalled = "No hand-over arrives any more: a signal was lost.",
      .mechanisms =
          {
              spinning<CasOneLine>(),
              spinning<AddOneLine>(),
              spinning<SeqcstOneLine>(),
              spinning<ReleaseOneLine>(),
              spinning<RelaxedOneLine>(),
              spinning<SeqcstTwoLines>(),
              spinning<ReleaseTwoLines>(),
              sleeping<Condition>(),
              sleeping<ConditionReleased>(),
              sleeping<Park>(kBetweenAlone),
              sleeping<AtomicWait>(),
              sleeping<Semaphore>(kBetweenAlone),
              sleeping<SpinThenPark>(kSpinThenParkParams),
              sleeping<Eventfd>(kBetweenAlone),
              sleeping<Pipe>(kBetweenAlone),
              sleeping<Socketpair>(kBetweenAlone),
              sleeping<TcpLoopback>(kBetweenAlone),
          },
  };
  return signal;
}

}  // namespace threadping::signal

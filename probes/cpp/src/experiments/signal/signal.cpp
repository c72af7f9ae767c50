#include <array>
#include <iterator>
#include <string_view>

#include "experiments/all.hpp"
#include "experiments/signal/players.hpp"
#include "mechanisms/signals.hpp"
#include "mechanisms/signals/cas_one_line.hpp"
#include "mechanisms/signals/counter.hpp"
#include "mechanisms/signals/xadd_one_line.hpp"
#include "waits/waits.hpp"

namespace threadping::signal {
namespace {

using signals::Counter;
using signals::OneLine;
using signals::TwoLines;
using signals::TwoSignals;

constexpr std::array<std::string_view, 1> kRoundTrip{"round-trip"};
constexpr std::uint32_t kManyLines = 256;

template <class Pair>
std::unique_ptr<engine::Stage> stage_of(const engine::Setup& setup) {
  return std::make_unique<SignalStage<Pair>>(setup);
}

/// Of every pair that spins.
constexpr std::array<engine::ParamInfo, 3> kSpinningParams{waits::kWaitAtLine, waits::kPauses, signals::kBetweenParam};

/// A pair whose sides keep looking, with every wait.
template <template <class Wait> class Pair>
engine::Mechanism spinning(std::string_view name) {
  return {.name = name,
          .blocking = false,
          .timed = kRoundTrip,
          .lines = kManyLines,
          .params = kSpinningParams,
          .make = [](const engine::Setup& setup) {
            return waits::with_wait(setup.params, [&]<class Wait> { return stage_of<Pair<Wait>>(setup); });
          }};
}

/// Two counters that stand so.
template <class Way, template <class> class Layout>
struct Counters {
  template <class Wait>
  using Pair = TwoSignals<Counter<Way, Wait>, Layout>;
};

/// Of a pair of S: it may stand between processes where S can.
template <class S>
constexpr auto kParamsOf = [] {
  if constexpr (requires { S::kBetweenProcesses; }) {
    return signals::params_with<S>(std::array{signals::kBetweenParam});
  } else {
    return signals::params_with<S>(std::array<engine::ParamInfo, 0>{});
  }
}();

/// A pair whose waiting side sleeps: beside a wake-up one line's place in the cache is nothing.
constexpr auto kSleeping = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kRoundTrip,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = stage_of<TwoSignals<S>>};
};

constexpr std::array<engine::Role, 2> kRoles{{{.name = "ping", .counts = true}, {.name = "pong", .counts = true}}};

/// A new pair that spins is a line here; a signal that sleeps, one in mechanisms/signals.hpp.
std::vector<engine::Mechanism> mechanisms() {
  std::vector<engine::Mechanism> all{
      spinning<signals::CasOneLine>("cas-one-line"),
      spinning<Counters<signals::Add, OneLine>::Pair>("add-one-line"),
      spinning<signals::XaddOneLine>("xadd-one-line"),
      spinning<Counters<signals::Seqcst, OneLine>::Pair>("seqcst-one-line"),
      spinning<Counters<signals::Release, OneLine>::Pair>("release-one-line"),
      spinning<Counters<signals::Relaxed, OneLine>::Pair>("relaxed-one-line"),
      spinning<Counters<signals::Seqcst, TwoLines>::Pair>("seqcst-two-lines"),
      spinning<Counters<signals::Release, TwoLines>::Pair>("release-two-lines"),
  };
  std::ranges::move(signals::Blocking::each(kSleeping), std::back_inserter(all));
  return all;
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment signal{
      .name = "signal",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ops,
      .stalled = "No hand-over arrives any more: a signal was lost.",
      .mechanisms = mechanisms(),
  };
  return signal;
}

}  // namespace threadping::signal

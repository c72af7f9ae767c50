#include "experiments/signal/signal.hpp"

#include <array>
#include <iterator>
#include <string_view>

#include "experiments/all.hpp"
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

/// The parameters of every pair that spins.
constexpr std::array<engine::ParamInfo, 3> kSpinningParams{waits::kWaitAtLine, waits::kPauses, signals::kBetweenParam};

/// A pair whose sides keep polling, with every wait.
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

/// Two counters with this layout.
template <class Way, template <class> class Layout>
struct Counters {
  template <class Wait>
  using Pair = TwoSignals<Counter<Way, Wait>, Layout>;
};

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
  static const engine::Experiment signal = declared(mechanisms());
  return signal;
}

}  // namespace threadping::signal

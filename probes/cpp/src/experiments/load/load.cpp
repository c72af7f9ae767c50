#include "experiments/load/load.hpp"

#include <string_view>
#include <vector>

#include "experiments/all.hpp"
#include "mechanisms/queues.hpp"
#include "mechanisms/signals.hpp"
#include "mechanisms/signals/counter.hpp"

namespace threadping::load {
namespace {

/// A counter that the receiver keeps polling, with every wait.
template <class Way>
engine::Mechanism spinning(std::string_view name) {
  return {.name = name,
          .blocking = false,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<signals::Counter<Way, waits::Spin>>,
          .make = [](const engine::Setup& setup) {
            return waits::with_spin_or_other(
                setup.params, [&]<class Wait> { return stage_of<SignalLink<signals::Counter<Way, Wait>>>(setup); });
          }};
}

/// A new counter is a line here; a signal that sleeps and a queue, one in mechanisms/.
std::vector<engine::Mechanism> mechanisms() {
  std::vector<engine::Mechanism> all{
      spinning<signals::Cas>("cas-one-line"),         spinning<signals::Add>("add-one-line"),
      spinning<signals::Seqcst>("seqcst-one-line"),   spinning<signals::Release>("release-one-line"),
      spinning<signals::Relaxed>("relaxed-one-line"),
  };
  std::ranges::move(signals::Blocking::each(kSleeping), std::back_inserter(all));
  std::ranges::move(queues::All::each(kQueue), std::back_inserter(all));
  return all;
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment load = declared(mechanisms());
  return load;
}

}  // namespace threadping::load

#include "experiments/wakeup/wakeup.hpp"

#include "experiments/all.hpp"
#include "mechanisms/signals.hpp"

namespace threadping::wakeup {

const engine::Experiment& experiment() {
  static const engine::Experiment wakeup = declared(signals::Blocking::each(kMechanism));
  return wakeup;
}

}  // namespace threadping::wakeup

#include "experiments/notify/notify.hpp"

#include "experiments/all.hpp"
#include "mechanisms/signals.hpp"

namespace threadping::notify {

const engine::Experiment& experiment() {
  static const engine::Experiment notify = declared(signals::Blocking::each(kMechanism));
  return notify;
}

}  // namespace threadping::notify

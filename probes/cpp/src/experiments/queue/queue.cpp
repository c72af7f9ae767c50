#include "experiments/queue/queue.hpp"

#include "experiments/all.hpp"
#include "mechanisms/queues.hpp"

namespace threadping::queue {

const engine::Experiment& experiment() {
  static const engine::Experiment queue = declared(All::each(kMechanism));
  return queue;
}

}  // namespace threadping::queue

#include "experiments/ring/ring.hpp"

#include "experiments/all.hpp"
#include "mechanisms/queues.hpp"

namespace threadping::ring {

const engine::Experiment& experiment() {
  static const engine::Experiment ring = declared(All::each(kMechanism));
  return ring;
}

}  // namespace threadping::ring

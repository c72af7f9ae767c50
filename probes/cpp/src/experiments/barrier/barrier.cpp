#include "experiments/barrier/barrier.hpp"

#include "experiments/all.hpp"
#include "mechanisms/barriers/barriers.hpp"
#include "mechanisms/barriers/conditions.hpp"
#include "mechanisms/barriers/openmp.hpp"
#include "mechanisms/barriers/words.hpp"

namespace threadping::barrier {
namespace {

using namespace barriers;  // NOLINT(google-build-using-namespace): the list below is of nothing else

/// A new mechanism is a file in mechanisms/ and a line here.
std::vector<engine::Mechanism> mechanisms() {
  return {
      mechanism<StdBarrier>(),
      mechanism<StdLatch>(),
      mechanism<PthreadBarrier>(),
      mechanism<ConditionAll>(),
      mechanism<ConditionEach>(),
      mechanism<FutexAll>(),
      mechanism<FutexEach>(),
      mechanism<FutexTree>(),
      mechanism<SpinThenSleep>(),
      mechanism<SpinAll>(),
      mechanism<SpinBarrier>(),
      mechanism<DisseminationBarrier>(),
      mechanism<OpenMpParallel>(OpenMp::needs()),
      mechanism<OpenMpBarrier>(OpenMp::needs()),
  };
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment barrier = declared(mechanisms());
  return barrier;
}

}  // namespace threadping::barrier

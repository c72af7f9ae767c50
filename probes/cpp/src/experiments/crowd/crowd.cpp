#include "experiments/crowd/crowd.hpp"

#include "experiments/all.hpp"
#include "mechanisms/crowds/barriers.hpp"
#include "mechanisms/crowds/conditions.hpp"
#include "mechanisms/crowds/openmp.hpp"
#include "mechanisms/crowds/words.hpp"

namespace threadping::crowd {
namespace {

using namespace crowds;  // NOLINT(google-build-using-namespace): the list below is of nothing else

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
  static const engine::Experiment crowd = declared(mechanisms());
  return crowd;
}

}  // namespace threadping::crowd

#include "experiments/lock/lock.hpp"

#include "experiments/all.hpp"
#include "mechanisms/locks/counters.hpp"
#include "mechanisms/locks/locks.hpp"
#include "mechanisms/locks/shared_locks.hpp"

namespace threadping::lock {
namespace {

using namespace locks;  // NOLINT(google-build-using-namespace): the list below is of nothing else

/// A new mechanism is a file in mechanisms/ and a line here.
std::vector<engine::Mechanism> mechanisms() {
  return {
      guarded<Mutex>(),
      guarded<AdaptiveMutex>(),
      guarded<PthreadSpinlock>(),
      guarded<TestAndTestAndSet>(),
      guarded<TicketLock>(),
      guarded<McsLock>(),
      guarded<SharedMutex>(),
      guarded<PthreadRwlockReaders>(),
      guarded<PthreadRwlockWriters>(),
      guarded<SeqLock>(),
      unguarded<FetchAdd>(),
      unguarded<CasLoop>(),
      unguarded<SingleWriterRelease>(),
      unguarded<FalseSharing>(),
      unguarded<Unprotected>(),
  };
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment lock = declared(mechanisms());
  return lock;
}

}  // namespace threadping::lock

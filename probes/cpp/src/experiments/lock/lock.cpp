
#include <array>
#include <string_view>

#include "experiments/all.hpp"
#include "experiments/lock/players.hpp"
#include "mechanisms/locks/counters.hpp"
#include "mechanisms/locks/locks.hpp"

namespace threadping::lock {
namespace {

using namespace locks;  // NOLINT(google-build-using-namespace): the list below is of nothing else

constexpr std::int64_t kMostSteps = 1'000'000;

/// Steps of work before each increment, inside the lock where there is one, and between two operations of a thread.
constexpr std::array<engine::ParamInfo, 2> kParams{{
    {.name = "critical", .most = kMostSteps},
    {.name = "outside", .most = kMostSteps},
}};

constexpr std::uint32_t kLines = 8;
constexpr std::array<std::string_view, 1> kAcquire{"acquire"};
constexpr std::array<std::string_view, 1> kIncrement{"increment"};

template <class Cell>
engine::Mechanism mechanism(std::string_view name, bool blocking, std::span<const std::string_view> timed) {
  return {.name = name,
          .blocking = blocking,
          .timed = timed,
          .lines = kLines,
          .params = kParams,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<LockStage<Cell>>(setup);
          }};
}

template <Lock L>
engine::Mechanism guarded() {
  return mechanism<Guarded<L>>(L::kName, L::kBlocking, kAcquire);
}

template <UnlockedCounter C>
engine::Mechanism unguarded() {
  return mechanism<Unguarded<C>>(C::kName, C::kBlocking, kIncrement);
}

constexpr std::array<std::string_view, 1> kTallies{"hand-overs"};
constexpr std::array<engine::Role, 1> kRoles{{{.name = "worker", .counts = true, .tallies = kTallies}}};

}  // namespace

const engine::Experiment& experiment() {
  /// A new mechanism is a file in mechanisms/ and a line here.
  static const engine::Experiment lock{
      .name = "lock",
      .roles = kRoles,
      .least_threads = 1,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
      .mechanisms =
          {
              guarded<Mutex>(),
              guarded<AdaptiveMutex>(),
              guarded<PthreadSpinlock>(),
              guarded<TestAndTestAndSet>(),
              guarded<TicketLock>(),
              guarded<McsLock>(),
              guarded<SharedMutex>(),
              unguarded<FetchAdd>(),
              unguarded<CasLoop>(),
              unguarded<SingleWriterRelease>(),
              unguarded<FalseSharing>(),
              unguarded<Unprotected>(),
          },
  };
  return lock;
}

}  // namespace threadping::lock

#include "signal/signal.hpp"

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "signal/loops.hpp"
#include "signal/mechanisms/add_one_line.hpp"
#include "signal/mechanisms/atomic_wait.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/condition.hpp"
#include "signal/mechanisms/eventfd.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/mechanisms/park.hpp"
#include "signal/mechanisms/pipe.hpp"
#include "signal/mechanisms/relaxed_one_line.hpp"
#include "signal/mechanisms/release_one_line.hpp"
#include "signal/mechanisms/release_two_lines.hpp"
#include "signal/mechanisms/semaphore.hpp"
#include "signal/mechanisms/seqcst_one_line.hpp"
#include "signal/mechanisms/seqcst_two_lines.hpp"
#include "signal/mechanisms/sockets.hpp"
#include "signal/mechanisms/spin_then_park.hpp"

namespace threadping::signal {
namespace {

constexpr std::string_view kRoundTrip = "round-trip";
constexpr std::uint32_t kManyLines = 256;

template <class M>
std::unique_ptr<crew::Loops> loops_of(const crew::Setup& setup) {
  return std::make_unique<SignalLoops<M>>(setup);
}

/// A protocol that keeps looking, with every wait.
template <class Protocol>
crew::Mechanism spinning() {
  return {.name = Protocol::kName,
          .blocking = false,
          .timed = kRoundTrip,
          .lines = kManyLines,
          .params = kLockFreeParams,
          .make = [](const crew::Setup& setup) {
            return waits::with_wait(setup.params,
                                    [&]<class Wait> { return loops_of<LockFree<Protocol, Wait>>(setup); });
          }};
}

template <class M>
constexpr std::span<const crew::ParamInfo> params_of() {
  if constexpr (requires { M::kParams; })
    return M::kParams;
  else
    return {};
}

/// A mechanism whose waiting side sleeps: beside a wake-up one line's place in the cache is nothing.
template <class M>
crew::Mechanism sleeping() {
  return {.name = M::kName,
          .blocking = true,
          .timed = kRoundTrip,
          .lines = 1,
          .params = params_of<M>(),
          .make = loops_of<M>};
}

constexpr std::array<std::string_view, 2> kRoles{"ping", "pong"};

}  // namespace

const crew::Experiment& experiment() {
  /// A new mechanism is a file in mechanisms/ and a line here.
  static const crew::Experiment signal{
      .name = "signal",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = message::Unit::ops,
      .stalled = "No hand-over arrives any more: a signal was lost.",
      .mechanisms =
          {
              spinning<CasOneLine>(),
              spinning<AddOneLine>(),
              spinning<SeqcstOneLine>(),
              spinning<ReleaseOneLine>(),
              spinning<RelaxedOneLine>(),
              spinning<SeqcstTwoLines>(),
              spinning<ReleaseTwoLines>(),
              sleeping<Condition>(),
              sleeping<ConditionReleased>(),
              sleeping<Park>(),
              sleeping<AtomicWait>(),
              sleeping<Semaphore>(),
              sleeping<SpinThenPark>(),
              sleeping<Eventfd>(),
              sleeping<Pipe>(),
              sleeping<Socketpair>(),
              sleeping<TcpLoopback>(),
          },
  };
  return signal;
}

}  // namespace threadping::signal

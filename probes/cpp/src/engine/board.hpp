#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/experiment.hpp"
#include "engine/host.hpp"
#include "engine/orders.hpp"
#include "failure.hpp"
#include "platform/counters.hpp"
#include "platform/futex.hpp"
#include "platform/lines.hpp"
#include "platform/memory.hpp"
#include "platform/pinning.hpp"

namespace threadping::engine {

/// Where one thread, and only it, says what went wrong. The first failure is the cause of what may fail next.
struct Trouble {
  std::atomic<bool> failed{false};
  ErrorCode code = ErrorCode::internal;
  std::array<char, 512> message{};

  void fail(ErrorCode why, std::string_view sentence) {
    if (failed) return;
    code = why;
    sentence.copy(message.data(), message.size() - 1);
    failed = true;
  }

  /// Does this; what it throws is a failure.
  template <class Act>
  void attempt(Act act) {
    try {
      act();
    } catch (...) {
      const Failure failure = failure_in_hand();
      fail(failure.code(), failure.what());
    }
  }
};

/// What one worker shares with the others, on lines that it alone writes; nothing in it points anywhere, so that the
/// worker may be a process.
struct alignas(platform::kLinePair) Board {
  std::atomic<std::uint64_t> ops{0};       ///< Completed, a loop behind at most.
  std::atomic<std::uint64_t> readings{0};  ///< Clock readings, likewise.
  std::atomic<std::uint64_t> switches{0};  ///< Involuntary ones, when it took its last order up.
  std::atomic<int> cpu{0};                 ///< Its CPU then; of a worker that leads at the latest window's end.
  std::atomic<std::uint64_t> obeyed{0};    ///< The number of the order that it has taken up.
  std::atomic<std::uint64_t> finished{0};  ///< The latest order whose counters are read and whose `count` is performed.
  std::atomic<bool> ended{false};
  std::atomic<int> thread{0};  ///< The kernel's number of it, once it is set up.

  alignas(platform::kLinePair) Trouble trouble;
  platform::CpuMask cpus_start;
  platform::CpuMask cpus_end;
  platform::ThreadCounters counters;  ///< Over the measuring phase,
  std::uint64_t measured_ops = 0;     ///< as are these operations: from when it took it up to when it took up its end.

  /// Does this; nobody waits for a thread that has failed in it.
  template <class Act>
  void attempt(Act act) {
    trouble.attempt(act);
    if (trouble.failed) obeyed = finished = UINT64_MAX;
  }
};

/// How many threads of a trial can run at once: as many as there are CPUs for them.
inline std::size_t most_at_once(const contract::Request& request) {
  const bool all_named = std::ranges::all_of(request.cpus, [](const auto& cpu) { return cpu.has_value(); });
  return std::min(request.cpus.size(), (all_named ? contract::cpus_named(request) : platform::allowed_cpus()).size());
}

/// Whether the scheduler chooses the threads' CPUs, several or one.
inline bool may_share(const contract::Request& request) {
  const bool together = request.pin == contract::Pin::process && contract::cpus_named(request).size() > 1;
  const bool free = std::ranges::none_of(request.cpus, [](const auto& cpu) { return cpu.has_value(); });
  return request.cpus.size() > 1 && (together || free);
}

/// All that the threads of a trial use while they measure, be they threads or processes.
struct Scene {
  contract::Request request;
  const Experiment& experiment;
  std::unique_ptr<Stage> stage;
  bool blocking = false;  ///< Whether threads sleep while they wait.
  Host& host = native();
  platform::Shared<Orders> orders{1, stage->sharing()};
  platform::Shared<Gate> gate{1, stage->sharing()};
  platform::Shared<platform::Bell> bell{1, stage->sharing()};             ///< Rung by a thread that ends.
  platform::Shared<Board> boards{request.cpus.size(), stage->sharing()};  ///< The workers' boards.
  std::size_t running = most_at_once(request);                            ///< How many workers can run at once.
  std::uint64_t deadline_ns = 0;                                          ///< Known when the threads start.
  Trouble lead_trouble{};
  alignas(platform::kLinePair) contract::Result result{};  ///< The lead writes it while others read the rest.

  /// The sum of what `of` gives for those threads whose operations are the experiment's.
  template <class Of>
  [[nodiscard]] std::uint64_t sum(Of of) const {
    std::uint64_t sum = 0;
    for (std::size_t thread = 0; thread < boards.size(); ++thread)
      if (experiment.roles[stage->role_of(thread)].counts) sum += of(thread);
    return sum;
  }

  /// The experiment's operations so far.
  [[nodiscard]] std::uint64_t ops() const {
    return sum([this](std::size_t thread) { return boards[thread].ops.load(std::memory_order_relaxed); });
  }

  /// Pings two CPUs, before measuring or after it.
  void ping(const std::pair<int, int>& cpus, bool after) {
    const std::optional<double> ns = host.ping(cpus.first, cpus.second);
    result.pings.push_back({.cpus = cpus, .after = after, .at_ns = platform::now_ns(), .ns = ns});
  }

  [[nodiscard]] bool some_worker_failed() const {
    return std::ranges::any_of(boards, [](const Board& board) { return board.trouble.failed.load(); });
  }
};

}  // namespace threadping::engine

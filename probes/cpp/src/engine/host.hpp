#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "engine/experiment.hpp"
#include "engine/pace.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/ping.hpp"
#include "platform/skew.hpp"
#include "platform/threads.hpp"

namespace threadping::engine {

class Worker;

/// Whose threads measure: here this program's own, which run C++. A managed runtime that this engine is a library of
/// overrides it.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  virtual ~Host() = default;

  /// Makes the stage of a trial, with its cells' memory where the request wants it. Throws Failure for what the
  /// mechanism cannot be made of, and Failure(pin_failed).
  virtual std::unique_ptr<Stage> stage(const contract::Request& request, const Mechanism& mechanism);

  /// Starts the thread that lives as this worker does. Throws std::system_error where the system refuses.
  virtual platform::Threads::Join start(Worker& worker);

  /// Like start(), for a thread that is no worker.
  virtual platform::Threads::Join start_thread(const std::function<void()>& live) {
    return platform::Threads::start_thread(live);
  }

  /// Has the first worker make a visit, on the thread that leads: in the language of its player, so that nothing but
  /// the loop lies in a window.
  virtual Visited visit(Worker& worker, std::uint32_t line, const Visit& visit);

  /// Whether the kernel knows the threads, and not only those that carry them.
  [[nodiscard]] virtual bool kernel_knows_threads() const { return true; }

  /// What was counted so far for the calling thread, which is the worker of this number; but for its migrations where
  /// the kernel knows it.
  virtual platform::ThreadCounters counters(std::size_t /*worker*/) { return platform::read_quick_counters(); }

  /// Tells the result which clock there is.
  virtual void tell_clock(contract::Result& result) { result.clock = platform::measure_clock(); }

  /// How far the clock on CPU `other` is ahead of the clock on CPU `one`; nullopt where they could not be compared.
  virtual std::optional<platform::Skew> skew(int one, int other) { return platform::measure_skew(one, other); }

  /// What it takes to signal between two CPUs now (ns); nullopt: it came to no end.
  virtual std::optional<double> ping(int one, int other) { return platform::ping(one, other); }

  // --- what a managed runtime does besides ---

  /// Whether there is one.
  [[nodiscard]] virtual bool managed() const { return false; }

  /// What it has compiled and collected so far, asked for between windows. Its pauses are nullopt.
  virtual contract::Managed upkeep() { return {}; }

  /// What its compiling threads have run, and whether one of them has something to compile; nullopt: unknown.
  virtual std::optional<platform::Activity> compilers() { return std::nullopt; }

  /// Its stops so far; nullopt: unknown.
  virtual std::optional<std::vector<contract::Pause>> pauses() { return std::nullopt; }
};

/// The host of a C++ probe.
Host& native();

}  // namespace threadping::engine

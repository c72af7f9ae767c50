#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "lock/cells.hpp"
#include "lock/orders.hpp"
#include "lock/pace.hpp"
#include "lock/worker.hpp"
#include "message/lock_result.hpp"
#include "message/request.hpp"
#include "platform/finish_line.hpp"
#include "platform/pinning.hpp"

namespace threadping::lock {

/// One trial: as many workers as the request has threads, a pool of lines, and the calling thread, which coordinates
/// them and watches over them.
///
/// All workers perform operations on one line, as fast as they can, until the coordinator orders them to the next. It
/// opens a window when all have arrived, sleeps, and closes it: it only ever looks at their counts, so that no start
/// and no end of a thread falls into a window, and nothing but the operations into the threads' time.
class Trial {
 public:
  /// Starts a thread; throws std::system_error where the system refuses.
  using Start = std::function<std::thread(const std::function<void()>&)>;

  /// The cells must be as many as the request's lines, made for its threads.
  Trial(
      const message::Request& request, std::unique_ptr<Cells> cells,
      Start start = [](const std::function<void()>& run) { return std::thread(run); });

  /// Measures. Throws Failure for what the contract calls an error.
  message::LockResult run();

 private:
  /// The time, and the operations of each worker until then.
  struct Look {
    std::uint64_t ns;
    std::vector<std::uint64_t> ops;
    [[nodiscard]] std::uint64_t sum() const;
  };

  void start_workers();
  bool stand();
  void warm_up();
  void calibrate(std::uint64_t look_ns, std::uint64_t end_ns);
  void measure();
  bool visit(std::uint32_t line, bool sampled_first, const Lengths& lengths);
  bool open_window(Order::Kind kind, std::uint32_t line, std::uint64_t ns);
  void end_workers();
  void report();
  void refuse_failures() const;
  void refuse_wrong_count() const;

  /// Gives an order and waits until all obey it; false if the bound passed first.
  bool order(Order::Kind kind, std::uint32_t line = 0);

  /// Lets all workers come to rest and orders them to the line, where each of them then stands when this returns. One
  /// that is starved of the lock would not look at its orders as long as the others go on: a spinning thread that
  /// shares its CPU with the lock's holder can wait for seconds. False if the bound passed first.
  bool start_together(Order::Kind kind, std::uint32_t line);

  /// Waits for `done`, however long it takes. Throws Unstoppable where nobody moves any more.
  template <class Done>
  void await_the_last(Done done);

  [[nodiscard]] bool all_obey(std::uint32_t order) const;
  [[nodiscard]] bool in_time() const;
  void sleep_until(std::uint64_t ns) const;
  [[nodiscard]] Look look() const;
  [[nodiscard]] double pace(const Look& from, const Look& to) const;

  const message::Request request_;
  message::LockResult result_;
  std::unique_ptr<Cells> cells_;
  Start start_;
  Orders orders_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  platform::FinishLine finish_;
  std::vector<std::uint32_t> route_;  ///< The lines in the order in which they are visited.
  platform::CpuSet cpus_;             ///< On which the workers may run.
  std::uint64_t crowding_ = 1;
  std::uint64_t deadline_ns_ = 0;
};

}  // namespace threadping::lock

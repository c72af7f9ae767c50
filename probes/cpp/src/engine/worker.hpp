#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/board.hpp"
#include "engine/recorder.hpp"
#include "engine/stage.hpp"

namespace threadping::engine {

/// One measuring thread: it stands where it is to stand and does what it is ordered to.
class alignas(platform::kLinePair) Worker {
 public:
  Worker(Scene& scene, std::size_t index);

  /// Pins the calling thread, and only it, and makes its player. Throws Failure(pin_failed), and what the player
  /// throws.
  void stand();

  /// Obeys until it is told to leave. Throws Failure for what a player saw wrong.
  void obey();

  /// Reads the counters that an order asks for.
  void read(Order::Reading reading);

  /// Performs a task once, in which nothing is timed or whoever calls takes what was.
  std::uint64_t run(const Task& task);

  Recorder& recorder() { return recorder_; }

 private:
  void perform(const Order& order);
  void go_on(const Order& order, std::uint64_t number);
  void take();
  void prepare_to_look();
  [[nodiscard]] std::uint64_t await_order_after(std::uint64_t number) const;

  Scene& scene_;
  const std::size_t index_;
  const bool crowded_;  ///< More workers than CPUs.
  Board& board_;
  Recorder recorder_;
  std::unique_ptr<Player> player_;
  platform::ThreadCounters before_;
  std::uint64_t ops_before_ = 0;
  std::optional<std::uint64_t> migrations_before_;
};

}  // namespace threadping::engine

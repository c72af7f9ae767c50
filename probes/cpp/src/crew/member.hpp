#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "crew/board.hpp"
#include "crew/recorder.hpp"

namespace threadping::crew {

/// One measuring thread: it stands where it is to stand and does what it is ordered to.
class alignas(platform::kLinePair) Member {
 public:
  Member(Scene& scene, std::size_t index) : scene_(scene), index_(index), board_(scene.boards[index]) {}

  /// Pins the calling thread, and only it. Throws Failure(pin_failed).
  void stand();

  /// Obeys until it is told to leave. Throws Failure for what a loop saw wrong.
  void obey();

  /// Reads the counters that an order of this kind asks for.
  void count(Order::Kind kind);

  /// Of what it times.
  Recorder& recorder() { return recorder_; }

 private:
  void work(const Order& order, std::uint64_t number);
  void sample(const Order& order, std::uint64_t number);
  void perform(std::uint32_t line, std::uint64_t count);
  void add_ops(std::uint64_t done);
  [[nodiscard]] std::uint64_t await_order_after(std::uint64_t number) const;

  Scene& scene_;
  const std::size_t index_;
  Board& board_;
  Recorder recorder_;
  platform::ThreadCounters before_;
  std::optional<std::uint64_t> migrations_before_;
};

}  // namespace threadping::crew

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "engine/board.hpp"
#include "engine/recorder.hpp"
#include "engine/witness.hpp"

namespace threadping::engine {

/// One measuring thread: it stands where it is to stand and does what it is ordered to.
class alignas(platform::kLinePair) Member {
 public:
  Member(Scene& scene, std::size_t index)
      : scene_(scene),
        index_(index),
        counted_(scene.loops->counted(index)),
        crowded_(scene.boards.size() > std::thread::hardware_concurrency()),
        board_(scene.boards[index]),
        timings_(scene.loops->times_all(index) ? kRoom : 0) {}

  /// Pins the calling thread, and only it. Throws Failure(pin_failed).
  void stand();

  /// Obeys until it is told to leave. Throws Failure for what a loop saw wrong.
  void obey();

  /// Reads the counters that an order of this kind asks for.
  void count(Order::Kind kind);

  /// A timed window is about to begin.
  void begin_timing() {
    if (witness_) witness_->begin(recorder_);
  }

  /// These were timed in it: looks into what took long, and records all.
  void keep(std::span<const Timing> timings);

  /// Of what it times.
  Recorder& recorder() { return recorder_; }

  /// Of what took long; none before measuring begins, and where nothing is to be looked into.
  [[nodiscard]] const std::optional<Witness>& witness() const { return witness_; }

 private:
  void work(const Order& order, std::uint64_t number);
  void sample(const Order& order, std::uint64_t number);
  std::uint64_t time(std::uint32_t line, std::span<Timing> timings);
  void perform(std::uint32_t line, std::uint64_t count);
  void add_ops(std::uint64_t done);
  void call_witness();
  [[nodiscard]] bool times() const;
  [[nodiscard]] std::uint64_t await_order_after(std::uint64_t number) const;

  /// For so many timings there is room in what times all that comes.
  static constexpr std::size_t kRoom = 1024;

  Scene& scene_;
  const std::size_t index_;
  const bool counted_;
  const bool crowded_;  ///< More members than CPUs.
  Board& board_;
  std::vector<Timing> timings_;  ///< Room for many, where it times all that comes; taken before anything is measured.
  Recorder recorder_;
  std::optional<Witness> witness_;
  std::uint64_t timed_until_ns_ = 0;  ///< The end of what was timed last.
  platform::ThreadCounters before_;
  std::optional<std::uint64_t> migrations_before_;
};

}  // namespace threadping::engine

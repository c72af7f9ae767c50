#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/board.hpp"
#include "engine/pace.hpp"
#include "engine/recorder.hpp"
#include "engine/stage.hpp"

namespace threadping::engine {

/// One measuring thread: it runs on its CPU and does what it is ordered to.
class alignas(platform::kLinePair) Worker {
 public:
  Worker(Scene& scene, std::size_t index);

  /// Pins the calling thread, and only it, and makes its player. Throws Failure(pin_failed), and what the player
  /// throws.
  void set_up();

  /// Obeys until it is ordered to leave. Throws Failure for what a player saw wrong.
  void obey();

  /// The whole life of its thread, from its pin to its end, whatever happens. The leading one leads wherever it runs,
  /// so that all are ordered to leave.
  void live();

  /// What a thread does that the mechanism brings, as Brought says.
  void set_up_brought();
  std::uint64_t perform_brought(std::uint64_t count);

  /// Makes a visit. The sampling window begins with the reading that ends the throughput one.
  Visited visit(std::uint32_t line, const Visit& visit);

  // --- its parts, for the loop of a managed runtime ---

  /// Has it lead, once it is set up, instead of obeying.
  void lead_by(std::function<void()> lead) { lead_ = std::move(lead); }
  [[nodiscard]] const std::function<void()>& lead() const { return lead_; }

  /// Takes up the order of this number; what it asks to read is read.
  Order take_up(std::uint64_t number);

  /// Tells the others on which CPU the calling thread, which is its own, is.
  void look_where_it_stands();

  /// Reads the counters that an order asks for.
  void read(Order::Reading reading);

  /// The task that is one chunk of an order.
  [[nodiscard]] static Task chunk_of(const Order& order);

  /// Takes what was timed in a run.
  void take();

  /// Its thread has come to its end, and touches nothing of the trial from here on.
  void end();

  [[nodiscard]] std::size_t index() const { return index_; }
  /// Whether there are more workers than CPUs for them.
  [[nodiscard]] bool crowded() const { return scene_.running < scene_.boards.size(); }
  [[nodiscard]] Scene& scene() const { return scene_; }
  Board& board() { return board_; }
  Recorder& recorder() { return recorder_; }

 private:
  std::uint64_t run(const Task& task);
  void perform(const Order& order);
  void go_on(const Order& order, std::uint64_t number);
  void prepare_to_look();
  [[nodiscard]] std::optional<std::uint64_t> migrations() const;
  [[nodiscard]] platform::ThreadCounters counters() const;
  [[nodiscard]] std::uint64_t await_order_after(std::uint64_t number) const;
  void take_up_brought(std::uint64_t number);

  Scene& scene_;
  const std::size_t index_;
  const bool lasts_;  ///< As Stage::lasts() says.
  Board& board_;
  Recorder recorder_;
  std::unique_ptr<Player> player_;
  std::function<void()> lead_;
  platform::ThreadCounters before_;
  std::uint64_t ops_before_ = 0;
  std::uint64_t taken_up_ = 0;  ///< The number of its latest order, of one that is brought.
  std::optional<std::uint64_t> migrations_before_;
};

}  // namespace threadping::engine

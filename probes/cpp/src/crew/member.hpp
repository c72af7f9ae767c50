#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "crew/board.hpp"
#include "crew/loops.hpp"
#include "crew/recorder.hpp"
#include "message/request.hpp"

namespace threadping::crew {

/// One measuring thread: it stands where it is to stand and does what it is ordered to.
class Member {
 public:
  /// `recorder` is null where it times nothing.
  Member(std::size_t index, const message::Request& request, Loops& loops, Common& common, Board& board,
         Recorder* recorder)
      : index_(index), request_(request), loops_(loops), common_(common), board_(board), recorder_(recorder) {}

  /// Pins the calling thread, and only it; false, and the board says why, where that fails.
  bool stand();

  /// Obeys until it is told to leave. Throws Failure for what a loop saw wrong.
  void obey();

  /// Reads the counters that an order of this kind asks for.
  void count(Order::Kind kind);

 private:
  void work(const Order& order, std::uint64_t number);
  void sample(const Order& order, std::uint64_t number);
  void perform(std::uint32_t line, std::uint64_t count);
  void add_ops(std::uint64_t done);
  [[nodiscard]] std::uint64_t await_order_after(std::uint64_t number) const;

  const std::size_t index_;
  const message::Request& request_;
  Loops& loops_;
  Common& common_;
  Board& board_;
  Recorder* const recorder_;
  platform::ThreadCounters before_;
  std::optional<std::uint64_t> migrations_before_;
};

}  // namespace threadping::crew

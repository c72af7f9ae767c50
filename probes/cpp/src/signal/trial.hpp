#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "failure.hpp"
#include "message/request.hpp"
#include "message/signal_result.hpp"
#include "platform/finish_line.hpp"
#include "platform/memory.hpp"
#include "platform/partner.hpp"
#include "platform/shared.hpp"
#include "signal/cells.hpp"
#include "signal/court.hpp"
#include "signal/ping.hpp"
#include "signal/pong.hpp"

namespace threadping::signal {

/// One trial: two sides, each in a thread or pong in a process of its own, a pool of lines, and the calling thread as
/// their watchdog.
///
/// Ping decides: it sends pong the order to visit a line, takes its turns there against the clock, looks at the time
/// and goes on to the next line. Pong echoes. Whoever finds a broken sequence stops the cells, so that the other does
/// not wait for ever; a lost hand-over shows as a bound that passes without progress.
class Trial {
 public:
  /// The cells must be as many as the request's lines.
  Trial(const message::Request& request, std::unique_ptr<Cells> cells);

  /// Measures. Throws Failure for what the contract calls an error.
  message::SignalResult run();

 private:
  void take_side(std::size_t index, const std::function<void()>& play);
  bool side_by_side();
  void watch(platform::Partner& pong);
  void refuse_failures() const;
  std::uint64_t progress();

  /// Stops every line again and again, since a side that is just storing may overwrite the poison; gives up, and
  /// returns false, after a second.
  template <class Done>
  bool stop_lines_until(Done done);

  const message::Request request_;
  message::SignalResult result_;
  std::unique_ptr<Cells> cells_;
  platform::Shared<Court> court_;
  Ping ping_;
  Pong pong_;
  platform::FinishLine finish_{2};
  bool stalled_ = false;
};

}  // namespace threadping::signal

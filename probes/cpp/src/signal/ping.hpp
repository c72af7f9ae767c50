#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "message/request.hpp"
#include "message/signal_result.hpp"
#include "signal/cells.hpp"
#include "signal/court.hpp"
#include "signal/readings.hpp"
#include "signal/visit.hpp"

namespace threadping::signal {

/// The side that decides everything and keeps the time: it sends pong to a line, takes its turns there against the
/// clock, looks at the time and goes on to the next line.
class Ping {
 public:
  Ping(const message::Request& request, Cells& cells, Court& court, message::SignalResult& result);

  /// Warms up and measures. Throws Failure(sequence_broken).
  void run();

  /// Puts the blocks and the single round trips into the result, sorted; when both sides have ended.
  void sort_readings();

 private:
  /// What came of a visit: the block's clock pair if it was completed, and how many stamps stand in stamps_.
  struct Visited {
    bool complete = false;
    bool block_complete = false;
    std::uint64_t block_start = 0;
    std::uint64_t block_end = 0;
    std::uint64_t singles = 0;
  };

  /// What the warm-up learned.
  struct Calibration {
    double round_trip_ns;  ///< The mean of the quickest visit; a slower one was disturbed.
    bool complete;         ///< false if the trial was stopped.
  };

  Calibration warm_up();
  bool long_rounds(double round_trip_ns, std::uint64_t start);
  void measure(Visit visit);
  Visited go(std::uint32_t line, const Visit& visit);
  bool count(const Taken& taken, std::uint64_t wanted, std::uint64_t& next);

  const message::Request& request_;
  Cells& cells_;
  Court& court_;
  message::SignalResult& result_;
  Readings readings_;
  std::vector<std::uint64_t> stamps_;  ///< Of the visit in progress.
  std::vector<std::uint32_t> route_;   ///< The lines in the order in which they are visited.
  std::vector<std::uint64_t> next_;    ///< For each line, ping's next turn.
  std::uint64_t ops_ = 0;              ///< The hand-overs of this phase.
  std::optional<message::PartialBlock> partial_;
};

}  // namespace threadping::signal

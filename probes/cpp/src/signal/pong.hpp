#pragma once

#include <cstdint>
#include <vector>

#include "signal/cells.hpp"
#include "signal/court.hpp"

namespace threadping::signal {

/// The side that echoes: it does what ping orders and answers on the line that ping names.
class Pong {
 public:
  Pong(Cells& cells, Court& court) : cells_(cells), court_(court), next_(cells.size(), 1) {}

  /// Until ping orders the end. Throws Failure(sequence_broken).
  void run();

 private:
  /// False once the line was stopped.
  bool echo(const Order& order);

  Cells& cells_;
  Court& court_;
  std::vector<std::uint64_t> next_;  ///< For each line, pong's next turn.
};

}  // namespace threadping::signal

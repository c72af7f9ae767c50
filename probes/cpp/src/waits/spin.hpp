#pragma once

#include "crew/experiment.hpp"

namespace threadping::waits {

/// Looks again at once: the quickest to see the news, and the greediest. A waiting side keeps asking for the line.
///
/// A wait is a small value that holds its parameters; its Turn is made when a turn begins, and called after each look
/// that found nothing new.
struct Spin {
  explicit Spin(const crew::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Spin& /*wait*/) {}
    void operator()() const {}
  };
};

}  // namespace threadping::waits

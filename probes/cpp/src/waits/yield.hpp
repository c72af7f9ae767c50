#pragma once

#include <sched.h>

#include "crew/experiment.hpp"

namespace threadping::waits {

/// Offers the CPU to any other thread between two looks: a system call each time, but two threads on one CPU take turns
/// without waiting for a time slice to end.
struct Yield {
  explicit Yield(const crew::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Yield& /*wait*/) {}
    void operator()() const { sched_yield(); }
  };
};

}  // namespace threadping::waits

#pragma once

#include <sched.h>

#include "engine/params.hpp"

namespace threadping::tests {

/// A wait that yields, whatever a request says: threads that share a CPU come to what is tested as well.
struct Yields {
  explicit Yields(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Yields& /*wait*/, const void* /*line*/ = nullptr) {}
    void operator()() const { sched_yield(); }
  };
};

}  // namespace threadping::tests

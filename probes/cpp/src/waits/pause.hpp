#pragma once

#include <cstdint>

#include "crew/experiment.hpp"
#include "platform/pause.hpp"

namespace threadping::waits {

/// Pauses some times between two looks: leaves the line to the writer and the core to its other hardware thread. How
/// long a PAUSE takes is the CPU's: some ten cycles before Intel's Skylake, some 140 since (Intel 64 and IA-32
/// Architectures Optimization Reference Manual, "Pause Latency in Skylake").
struct Pause {
  std::int64_t pauses;

  explicit Pause(const crew::Params& params) : pauses(params.number("pauses")) {}

  struct Turn {
    std::int64_t pauses;
    explicit Turn(const Pause& wait) : pauses(wait.pauses) {}
    void operator()() const {
      for (std::int64_t left = pauses; left > 0; --left) platform::pause();
    }
  };
};

}  // namespace threadping::waits

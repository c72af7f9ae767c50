#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/messages.hpp"

namespace threadping::signal {

/// Two pipes, one for each direction.
struct PipeChannel {
  static Descriptors open() {
    std::array<int, 2> to_pong{};
    std::array<int, 2> to_ping{};
    if (pipe2(to_pong.data(), O_CLOEXEC) != 0 || pipe2(to_ping.data(), O_CLOEXEC) != 0) refuse_descriptors("pipe");
    return {.ping_in = to_ping[0], .ping_out = to_pong[1], .pong_in = to_pong[0], .pong_out = to_ping[1]};
  }
};

struct Pipe : Messages<PipeChannel> {
  static constexpr MechanismInfo kInfo{
      .name = "pipe",
      .summary = "Eight bytes through a pipe, one pipe for each direction (what `perf bench sched pipe` measures).",
      .cpu_cost = "Sleeps while it waits; a write, a read and a wake-up for every hand-over.",
      .blocking = true,
      .timed = kTimed,
      .lines = 1,
      .params = kBetweenAlone,
  };
};

}  // namespace threadping::signal

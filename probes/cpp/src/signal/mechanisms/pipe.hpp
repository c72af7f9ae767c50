#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/messages.hpp"

namespace threadping::signal {

/// Two pipes, one for each direction.
struct Pipe : Messages<Pipe> {
  static constexpr std::string_view kName = "pipe";

  static Descriptors open() {
    std::array<int, 2> to_pong{};
    std::array<int, 2> to_ping{};
    if (pipe2(to_pong.data(), O_CLOEXEC) != 0 || pipe2(to_ping.data(), O_CLOEXEC) != 0) refuse_descriptors("pipe");
    return {.ping_in = to_ping[0], .ping_out = to_pong[1], .pong_in = to_pong[0], .pong_out = to_ping[1]};
  }
};

}  // namespace threadping::signal

#pragma once

#include <sys/eventfd.h>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/messages.hpp"

namespace threadping::signal {

/// Two eventfds: a counter in the kernel that a write adds to and a read takes as a whole.
struct Eventfd : Messages<Eventfd> {
  static constexpr std::string_view kName = "eventfd";

  static Descriptors open() {
    const int to_pong = eventfd(0, EFD_CLOEXEC);
    const int to_ping = eventfd(0, EFD_CLOEXEC);
    if (to_pong < 0 || to_ping < 0) refuse_descriptors("eventfd");
    return {.ping_in = to_ping, .ping_out = to_pong, .pong_in = to_pong, .pong_out = to_ping};
  }
};

}  // namespace threadping::signal

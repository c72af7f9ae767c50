#pragma once

#include <sys/eventfd.h>

#include "signal/mechanism.hpp"
#include "signal/mechanisms/messages.hpp"

namespace threadping::signal {

/// Two eventfds: a counter in the kernel that a write adds to and a read takes as a whole.
struct EventfdChannel {
  static Descriptors open() {
    const int to_pong = eventfd(0, EFD_CLOEXEC);
    const int to_ping = eventfd(0, EFD_CLOEXEC);
    if (to_pong < 0 || to_ping < 0) refuse_descriptors("eventfd");
    return {.ping_in = to_ping, .ping_out = to_pong, .pong_in = to_pong, .pong_out = to_ping};
  }
};

struct Eventfd : Messages<EventfdChannel> {
  static constexpr MechanismInfo kInfo{
      .name = "eventfd",
      .summary = "Each side blocks in a read of its own eventfd and writes to the other's.",
      .cpu_cost =
          "Sleeps while it waits; a write, a read and a wake-up for every hand-over, and it fits an epoll loop.",
      .blocking = true,
      .timed = kTimed,
      .lines = 1,
      .params = kBetweenAlone,
  };
};

}  // namespace threadping::signal

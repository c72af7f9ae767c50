#pragma once

#include <sys/socket.h>

#include <array>
#include <string_view>

#include "mechanisms/signals/sockets.hpp"
#include "mechanisms/signals/tokens.hpp"

namespace threadping::signals {

inline Ends open_socketpair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse_descriptors("socket pair");
  return {.in = ends[0], .out = ends[1]};
}

/// A connected pair of Unix stream sockets.
struct Socketpair : WithTokens<Sockets<open_socketpair>> {
  static constexpr std::string_view kName = "socketpair";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

#include "mechanisms/signals/sockets.hpp"
#include "mechanisms/signals/tokens.hpp"

namespace threadping::signals {

inline Ends connect_to_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* where = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens = listener >= 0 && out >= 0 && bind(listener, where, size) == 0 && listen(listener, 1) == 0 &&
                       getsockname(listener, where, &size) == 0;
  if (!listens || connect(out, where, size) != 0) refuse_descriptors("TCP connection to 127.0.0.1");
  const int in = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (in < 0) refuse_descriptors("TCP connection to 127.0.0.1");
  close(listener);
  const int on = 1;
  for (const int end : {in, out}) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {.in = in, .out = out};
}

/// A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a small message back.
struct TcpLoopback : WithTokens<Sockets<connect_to_loopback>> {
  static constexpr std::string_view kName = "tcp-loopback";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals

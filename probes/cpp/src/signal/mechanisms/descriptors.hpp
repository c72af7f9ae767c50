#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>

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

/// A connected pair of Unix stream sockets.
struct Socketpair : Messages<Socketpair> {
  static constexpr std::string_view kName = "socketpair";

  static Descriptors open() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse_descriptors("socket pair");
    return {.ping_in = ends[0], .ping_out = ends[0], .pong_in = ends[1], .pong_out = ends[1]};
  }
};

/// A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a small message back.
struct TcpLoopback : Messages<TcpLoopback> {
  static constexpr std::string_view kName = "tcp-loopback";

  static Descriptors open() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* where = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int ping = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool listens = listener >= 0 && ping >= 0 && bind(listener, where, size) == 0 && listen(listener, 1) == 0 &&
                         getsockname(listener, where, &size) == 0;
    if (!listens || connect(ping, where, size) != 0) refuse_descriptors("TCP connection to 127.0.0.1");
    const int pong = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (pong < 0) refuse_descriptors("TCP connection to 127.0.0.1");
    close(listener);
    const int on = 1;
    for (const int end : {ping, pong}) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return {.ping_in = ping, .ping_out = ping, .pong_in = pong, .pong_out = pong};
  }
};

}  // namespace threadping::signal

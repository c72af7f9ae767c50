#include "experiments/hop/wire.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "platform/clock.hpp"

namespace threadping::hop {

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Wire::Wire(int socket, Way way) : socket_(socket), way_(way) {
  const timeval tick{.tv_sec = 0, .tv_usec = kTickNs / 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof tick);
  const int on = 1;  // without Nagle's algorithm, which would hold a small message back
  if (!way.datagrams) setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Wire::Came Wire::take(std::span<std::byte> message) {
  constexpr unsigned kBetweenLooks = 1024;
  const int flags = (way_.spins ? MSG_DONTWAIT : 0) | (way_.datagrams ? MSG_TRUNC : 0);
  std::uint64_t until_ns = 0;
  for (unsigned tries = 1;; ++tries) {
    const ssize_t got = recv(socket_, message.data() + taken_, message.size() - taken_, flags);
    if (way_.datagrams && got >= 0) return got == std::ssize(message) ? Came::all : Came::nothing;
    if (got == 0) return Came::gone;
    if (got > 0) {
      taken_ += static_cast<std::size_t>(got);
      if (taken_ < message.size()) continue;
      taken_ = 0;
      return Came::all;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Came::gone;
    if (!way_.spins) return Came::nothing;
    if (tries % kBetweenLooks != 0) continue;
    const std::uint64_t now = platform::now_ns();
    if (until_ns == 0) until_ns = now + kTickNs;
    if (now >= until_ns) return Came::nothing;
  }
}

bool Wire::give(std::span<const std::byte> message) const {
  while (!message.empty()) {
    const ssize_t sent = send(socket_, message.data(), message.size(), MSG_NOSIGNAL);
    if (sent >= 0)
      message = message.subspan(static_cast<std::size_t>(sent));
    else if (way_.datagrams && errno != ECONNREFUSED)
      return true;
    else if (errno != EINTR)
      return false;
  }
  return true;
}

}  // namespace threadping::hop

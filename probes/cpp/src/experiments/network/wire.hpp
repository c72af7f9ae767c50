#pragma once

#include <arpa/inet.h>
#include <endian.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/descriptor.hpp"

namespace threadping::network {

/// A waiting end checks so often whether it was stopped; a datagram without an answer is sent again then.
inline constexpr std::uint64_t kTickNs = 100'000'000;

inline constexpr std::uint32_t kMostBytes = 60'000;

/// What every message begins with, in network order; the rest is padding.
struct Head {
  std::uint64_t nonce;   ///< Tells the client that is served from strangers.
  std::uint64_t number;  ///< 0: hello, which the answer to the first round trip follows; else one of those below.
  std::uint32_t size;    ///< Bytes of each message.
  std::uint32_t spins;   ///< In a hello: whether the far end spins while it waits; in the answer to kAsk: its CPU time.
};
inline constexpr std::uint64_t kBye = UINT64_MAX;  ///< No more will come.
inline constexpr std::uint64_t kAsk =
    UINT64_MAX - 1;  ///< How much CPU time the far end has had since the hello, in us.

inline Head head_of(std::span<const std::byte> message) {
  Head head{};
  std::memcpy(&head, message.data(), sizeof head);
  return {.nonce = be64toh(head.nonce),
          .number = be64toh(head.number),
          .size = be32toh(head.size),
          .spins = be32toh(head.spins)};
}

inline void write(const Head& head, std::span<std::byte> message) {
  const Head sent{.nonce = htobe64(head.nonce),
                  .number = htobe64(head.number),
                  .size = htobe32(head.size),
                  .spins = htobe32(head.spins)};
  std::memcpy(message.data(), &sent, sizeof sent);
}

/// How messages travel, and how both ends wait for them: polling, or asleep in the kernel.
struct Way {
  bool datagrams;
  bool spins;
};

/// The far end, as its starter reports it to the near one.
struct Peer {
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t nonce = 0;

  [[nodiscard]] std::string name() const { return host + " port " + std::to_string(port); }
};

using Socket = platform::Descriptor;

/// Throws Failure(unsupported): this did not work with a far end, for that reason.
[[noreturn]] inline void refuse(const std::string& what, const std::string& why) {
  throw Failure(ErrorCode::unsupported, what + " (" + why + ").");
}

/// A socket with which `use(socket, address, size)` could use a peer's IP address. Names are for its starter to look
/// up: the C library's resolver is none of what a probe that is linked statically can bring along. Throws
/// Failure(unsupported).
template <class Use>
Socket socket_at(const Peer& peer, int type, const std::string& otherwise, Use use) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  four.sin_port = six.sin6_port = htons(peer.port);
  const bool is_four = inet_pton(AF_INET, peer.host.c_str(), &four.sin_addr) == 1;
  if (!is_four && inet_pton(AF_INET6, peer.host.c_str(), &six.sin6_addr) != 1) refuse(otherwise, "it is no IP address");
  const auto* at = is_four ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
  Socket socket(::socket(at->sa_family, type | SOCK_CLOEXEC, 0));
  if (socket.get() < 0 || !use(socket.get(), at, is_four ? sizeof four : sizeof six))
    refuse(otherwise, std::strerror(errno));
  return socket;
}

/// Messages over a connected socket.
class Wire {
 public:
  enum class Came { all, nothing, gone };

  /// The socket outlives it.
  Wire(int socket, Way way) : socket_(socket), way_(way) {
    const timeval tick{.tv_sec = 0, .tv_usec = kTickNs / 1000};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof tick);
    const int on = 1;  // without Nagle's algorithm, which would hold a small message back
    if (!way.datagrams) setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  void spin(bool spins) { way_.spins = spins; }

  /// Fills a message, for a tick at most: `gone` where none can come any more. What came of a longer one is kept until
  /// the next call.
  Came take(std::span<std::byte> message) {
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

  /// False where the other end is gone. A datagram may be lost here too.
  [[nodiscard]] bool give(std::span<const std::byte> message) const {
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

 private:
  int socket_;
  Way way_;
  std::size_t taken_ = 0;
};

}  // namespace threadping::network

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "experiments/network/callers.hpp"
#include "experiments/network/wire.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"

namespace threadping::network {

/// Ticks after which a client that sends nothing is gone.
inline constexpr int kQuietTicks = 20;

inline Socket bound(const Peer& peer, int type) {
  return socket_at(peer, type, "No far end can be opened at " + peer.name(),
                   [&](int socket, const sockaddr* at, socklen_t size) {
                     return bind(socket, at, size) == 0 && (type == SOCK_DGRAM || listen(socket, Callers::kMost) == 0);
                   });
}

inline std::uint16_t port_of(const Socket& socket) {
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    refuse("The port of a far end cannot be read", std::strerror(errno));
  return ntohs(address.sin6_port);  // which is at the same offset as that of an IPv4 address
}

inline std::uint64_t any_nonce() {
  std::random_device chance;
  return (std::uint64_t{chance()} << 32) | chance();
}

/// The far end: sends back what a client that knows its nonce sends, over TCP or UDP, one client after another.
/// Messages of others are dropped, and a client that sends anything out of order is served no longer.
class Server {
 public:
  /// Listens at this address, at any port. Throws Failure(unsupported). Both transports at one port: that of TCP, which
  /// is any, is taken for UDP too, unless another program has it.
  explicit Server(const std::string& host)
      : peer_{.host = host, .port = 0, .nonce = any_nonce()}, listener_(bound(peer_, SOCK_STREAM)), datagrams_([&] {
          peer_.port = port_of(listener_);
          return bound(peer_, SOCK_DGRAM);
        }()) {}

  [[nodiscard]] const Peer& peer() const { return peer_; }

  /// Serves until then, or until it is stopped.
  void serve(std::uint64_t until_ns, const std::atomic<bool>& stopped) {
    Callers callers(listener_.get(), datagrams_.get());
    while (!stopped && platform::now_ns() < until_ns) {
      if (callers.wait()) serve_datagrams(stopped);
      if (const auto client = callers.greeted([this](const Head& head) { return greets(head); }))
        echo(Wire(client->get(), {.datagrams = false, .spins = false}), false, sizeof(Head), stopped);
    }
  }

  /// Answers one client, whose first message has `first_bytes` bytes, until it has gone or breaks the rules.
  void echo(Wire wire, bool datagrams, std::size_t first_bytes, const std::atomic<bool>& stopped) const {
    std::vector<std::byte> message(first_bytes);
    std::uint64_t next = 0;
    const std::uint64_t before_ns = platform::read_quick_counters().cpu_ns;
    for (int quiet = 0; quiet < kQuietTicks && !stopped;) {
      const Wire::Came came = wire.take(message);
      if (came == Wire::Came::gone) return;
      ++quiet;
      if (came == Wire::Came::nothing) continue;
      const Head head = head_of(message);
      if (next > 0 && head.nonce == peer_.nonce && head.number == kAsk) {
        const std::uint64_t ns = platform::read_quick_counters().cpu_ns - before_ns;
        write({.nonce = head.nonce, .number = kAsk, .size = head.size, .spins = static_cast<std::uint32_t>(ns / 1000)},
              message);
        if (!wire.give(message)) return;
        quiet = 0;
        continue;
      }
      const bool again = datagrams && head.number + 1 == next;  // its answer was lost
      if (head.nonce != peer_.nonce || (head.number != next && !again) || (next == 0 && !greets(head))) {
        if (!datagrams || head.number == kBye) return;
        continue;
      }
      if (!wire.give(message)) return;
      quiet = 0;
      if (again) continue;
      if (next++ > 0) continue;
      message.resize(head.size);
      wire.spin(head.spins != 0);
    }
  }

 private:
  /// One client's, from its hello on, which is as long as all its messages; others cannot come between.
  void serve_datagrams(const std::atomic<bool>& stopped) const {
    const int socket = datagrams_.get();
    std::array<std::byte, sizeof(Head)> head;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* address = reinterpret_cast<sockaddr*>(&from);
    const ssize_t got = recvfrom(socket, head.data(), head.size(), MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT, address, &size);
    const bool known = got >= std::ssize(head) && greets(head_of(head)) && std::cmp_equal(head_of(head).size, got);
    if (!known || connect(socket, address, size) != 0) {
      recv(socket, head.data(), head.size(), MSG_DONTWAIT);
      return;
    }
    echo(Wire(socket, {.datagrams = true, .spins = false}), true, static_cast<std::size_t>(got), stopped);
    const sockaddr none{.sa_family = AF_UNSPEC, .sa_data = {}};
    static_cast<void>(connect(socket, &none, sizeof none));  // NOLINT(bugprone-unused-return-value): it cannot fail
  }

  [[nodiscard]] bool greets(const Head& head) const {
    return head.nonce == peer_.nonce && head.number == 0 && head.size >= sizeof(Head) && head.size <= kMostBytes;
  }

  Peer peer_;
  Socket listener_;
  Socket datagrams_;
};

}  // namespace threadping::network

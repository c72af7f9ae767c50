#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/network/wire.hpp"
#include "platform/clock.hpp"

namespace threadping::network {

/// The clients that have connected and not greeted yet. Any stranger may be among them, and keep silent for ever:
/// nobody waits for one alone.
class Callers {
 public:
  /// Maximum number at once, and for how long: the oldest is replaced by one more.
  static constexpr std::size_t kMost = 16;
  static constexpr std::uint64_t kMostNs = 2'000'000'000;

  /// The socket at which they connect, and one that is waited at too; both outlive it.
  Callers(int listener, int other) : listener_(listener), other_(other) {}

  /// Sleeps until something has come, for a tick at most. Whether it came at the other socket.
  bool wait() {
    polled_.clear();
    for (const int socket : {other_, listener_}) polled_.push_back({.fd = socket, .events = POLLIN, .revents = 0});
    for (const Caller& caller : callers_)
      polled_.push_back({.fd = caller.socket.get(), .events = POLLIN, .revents = 0});
    if (poll(polled_.data(), polled_.size(), kTickNs / 1'000'000) >= 0) return polled_[0].revents != 0;
    for (pollfd& each : polled_) each.revents = 0;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kTickNs));
    return false;
  }

  /// One whose head greets, who is a caller no more; after each wait(). One that sends anything else is hung up on.
  template <class Greets>
  std::optional<Socket> greeted(Greets greets) {
    std::optional<Socket> found;
    const std::uint64_t now_ns = platform::now_ns();
    std::size_t at = 2;
    std::erase_if(callers_, [&](Caller& caller) {
      const bool speaks = polled_[at++].revents != 0;
      if (!speaks) return now_ns - caller.since_ns > kMostNs;
      if (!says(caller.socket, greets)) return true;
      if (found) return false;  // is heard next time
      hear_from(caller.socket, 1);
      found.emplace(std::move(caller.socket));
      return true;
    });
    if (polled_[1].revents != 0) admit();
    return found;
  }

 private:
  struct Caller {
    Socket socket;
    std::uint64_t since_ns;
  };

  /// Heard of once its head is complete, or it has hung up.
  void admit() {
    Socket socket(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0) return;
    hear_from(socket, sizeof(Head));
    if (callers_.size() == kMost) callers_.pop_front();
    callers_.push_back({.socket = std::move(socket), .since_ns = platform::now_ns()});
  }

  static void hear_from(const Socket& socket, int bytes) {
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  }

  template <class Greets>
  static bool says(const Socket& socket, Greets greets) {
    std::array<std::byte, sizeof(Head)> head;
    const ssize_t got = recv(socket.get(), head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT);
    return got == std::ssize(head) && greets(head_of(head));
  }

  const int listener_;
  const int other_;
  std::list<Caller> callers_;  ///< In the order in which they came.
  std::vector<pollfd> polled_;
};

}  // namespace threadping::network

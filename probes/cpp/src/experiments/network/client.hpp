#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/network/wire.hpp"
#include "failure.hpp"
#include "platform/clock.hpp"

namespace threadping::network {

/// Maximum time for a far end to accept a client, and again to greet it: longer than one takes to notice that it lost
/// its last client.
inline constexpr std::uint64_t kGreetingNs = 3'000'000'000;

inline Socket connected(const Peer& peer, Way way) {
  const timeval most{.tv_sec = kGreetingNs / 1'000'000'000, .tv_usec = 0};
  return socket_at(peer, way.datagrams ? SOCK_DGRAM : SOCK_STREAM,
                   "The far end, " + peer.name() + ", cannot be reached",
                   [&](int socket, const sockaddr* at, socklen_t size) {
                     setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
                     return connect(socket, at, size) == 0;
                   });
}

/// The near end: sends a message and waits until it comes back.
class Client {
 public:
  /// Connects to a far end and is greeted by it. Throws Failure(unsupported).
  Client(const Peer& peer, Way way, std::uint32_t bytes, const std::atomic<bool>& stopped)
      : peer_(peer),
        way_(way),
        stopped_(stopped),
        bytes_(bytes),
        socket_(connected(peer, way)),
        wire_(socket_.get(), {.datagrams = way.datagrams, .spins = false}),
        out_(way.datagrams ? bytes : sizeof(Head)),
        in_(out_.size()) {
    const Head hello{.nonce = peer.nonce, .number = 0, .size = bytes, .spins = way.spins ? 1U : 0U};
    if (answer_to(hello, platform::now_ns() + kGreetingNs) != Answer::came)
      refuse("The far end, " + peer.name() + ", greets nobody",
             "it serves another client, or was started by another one");
    sent_ = 0;
    out_.resize(bytes);
    in_.resize(bytes);
    wire_.spin(way.spins);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    write({.nonce = peer_.nonce, .number = kBye, .size = bytes_, .spins = 0}, out_);
    static_cast<void>(wire_.give(out_));
  }

  /// False where it was stopped. Throws Failure(stalled) where the far end is gone, Failure(sequence_broken) for an
  /// answer that is none.
  bool round_trip() { return answered(++number_); }

  /// How much CPU time the far end has had since it greeted, in us, modulo 2^32; nothing where this
  /// was stopped. Throws as round_trip().
  std::optional<std::uint32_t> far_cpu_us() {
    const std::uint64_t sent = sent_;
    const bool came = answered(kAsk);
    sent_ = sent;
    return came ? std::optional(head_of(in_).spins) : std::nullopt;
  }

  /// How often a round trip was begun: more than there were round trips where datagrams were lost.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  enum class Answer { came, stopped, gone };

  static constexpr std::uint64_t kForever = UINT64_MAX;

  /// Whether the answer to this message came.
  bool answered(std::uint64_t number) {
    const Answer answer = answer_to({.nonce = peer_.nonce, .number = number, .size = bytes_, .spins = 0}, kForever);
    if (answer == Answer::gone) throw Failure(ErrorCode::stalled, "The far end, " + peer_.name() + ", has gone away.");
    return answer == Answer::came;
  }

  Answer answer_to(const Head& head, std::uint64_t until_ns) {
    write(head, out_);
    for (bool sends = true; !stopped_.load(std::memory_order_relaxed);) {
      if (sends && !wire_.give(out_)) return Answer::gone;
      sent_ += sends ? 1 : 0;
      sends = false;
      switch (wire_.take(in_)) {
        case Wire::Came::gone: return Answer::gone;
        case Wire::Came::nothing:
          if (until_ns != kForever && platform::now_ns() > until_ns) return Answer::gone;
          sends = way_.datagrams;
          continue;
        case Wire::Came::all: break;
      }
      const Head got = head_of(in_);
      if (got.nonce == head.nonce && got.number == head.number) return Answer::came;
      // The answer to one that was sent again may come twice.
      if (way_.datagrams && got.nonce == head.nonce && (got.number < head.number || got.number == kAsk)) continue;
      throw Failure(ErrorCode::sequence_broken, "To message " + std::to_string(head.number) + " the far end, " +
                                                    peer_.name() + ", answered something else.");
    }
    return Answer::stopped;
  }

  const Peer& peer_;
  const Way way_;
  const std::atomic<bool>& stopped_;
  const std::uint32_t bytes_;
  const Socket socket_;
  Wire wire_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  std::uint64_t number_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace threadping::network

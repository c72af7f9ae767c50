#pragma once

#include <endian.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace threadping::hop {

/// Whoever waits looks so often whether it still should; a datagram without an answer is sent again then.
inline constexpr std::uint64_t kTickNs = 100'000'000;

inline constexpr std::uint32_t kMostBytes = 60'000;

/// What every message begins with, in network order; the rest is padding.
struct Head {
  std::uint64_t nonce;   ///< Tells the client that is served from strangers.
  std::uint64_t number;  ///< 0: hello, which the answer to the first round trip follows; else one of those below.
  std::uint32_t size;    ///< Of each message, in bytes.
  std::uint32_t
      spins;  ///< Of a hello whether the far end is to spin while it waits; of the answer to kAsk its CPU time.
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

/// How messages travel, and how both ends wait for them: looking again and again, or asleep in the kernel.
struct Way {
  bool datagrams;
  bool spins;
};

/// The far end, as its starter tells the near one.
struct Peer {
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t nonce = 0;

  [[nodiscard]] std::string name() const { return host + " port " + std::to_string(port); }
};

/// A file descriptor that is closed with it.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Messages over a connected socket.
class Wire {
 public:
  enum class Came { all, nothing, gone };

  /// The socket outlives it.
  Wire(int socket, Way way);

  void spin(bool spins) { way_.spins = spins; }

  /// Fills a message, for a tick at most: `gone` where none can come any more. What came of a longer one is kept until
  /// the next call.
  Came take(std::span<std::byte> message);

  /// False where the other end is gone. A datagram may be lost here too.
  [[nodiscard]] bool give(std::span<const std::byte> message) const;

 private:
  int socket_;
  Way way_;
  std::size_t taken_ = 0;
};

}  // namespace threadping::hop

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/hop/wire.hpp"

namespace threadping::hop {

/// The near end: sends a message and waits until it comes back.
class Client {
 public:
  /// Connects to a far end and is greeted by it. Throws Failure(unsupported).
  Client(const Peer& peer, Way way, std::uint32_t bytes, const std::atomic<bool>& stopped);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// False where it was stopped. Throws Failure(stalled) where the far end is gone, Failure(sequence_broken) for an
  /// answer that is none.
  bool round_trip();

  /// How much CPU time the far end has had since it greeted, in us, of which the 32nd bit overflows; nothing where this
  /// was stopped. Throws as round_trip().
  std::optional<std::uint32_t> far_cpu_us();

  /// How often a round trip was begun: more than there were round trips where datagrams were lost.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  enum class Answer { came, stopped, gone };

  static constexpr std::uint64_t kForever = UINT64_MAX;

  /// Whether the answer to this message came.
  bool answered(std::uint64_t number);
  Answer answer_to(const Head& head, std::uint64_t until_ns);

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

}  // namespace threadping::hop

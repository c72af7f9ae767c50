#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "experiments/hop/wire.hpp"

namespace threadping::hop {

/// The far end: sends back what a client sends who knows its nonce, over TCP or UDP, one after another. What strangers
/// send is thrown away, and a client that sends anything out of order is served no longer.
class Server {
 public:
  /// Listens at this address, at any port. Throws Failure(unsupported).
  explicit Server(const std::string& host);

  [[nodiscard]] const Peer& peer() const { return peer_; }

  /// Serves until then, or until it is stopped.
  void serve(std::uint64_t until_ns, const std::atomic<bool>& stopped);

 private:
  void serve_datagrams(const std::atomic<bool>& stopped) const;
  void echo(Wire wire, bool datagrams, std::size_t first_bytes, const std::atomic<bool>& stopped) const;
  [[nodiscard]] bool greets(const Head& head) const;

  Peer peer_;
  Socket listener_;
  Socket datagrams_;
};

}  // namespace threadping::hop

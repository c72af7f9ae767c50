#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "mechanisms/pair.hpp"
#include "mechanisms/signals/descriptors.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// Tokens that are sent through a connection, whose two sockets kConnect() gives. The second of a pair sends its own in
/// the other direction: what goes to and fro over one connection is what is measured elsewhere too (netperf's TCP_RR),
/// and an acknowledgement travels with the answer.
template <Ends (*kConnect)()>
class Sockets {
 public:
  explicit Sockets(platform::Sharing /*sharing*/) : ends_(kConnect()), owns_(true) {}
  explicit Sockets(SecondTo<Sockets> second)
      : ends_{.in = second.first.ends_.out, .out = second.first.ends_.in}, owns_(false) {}
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  ~Sockets() {
    if (!owns_) return;
    close(ends_.in);
    close(ends_.out);
  }

  void give() const {
    while (send(ends_.out, &kToken, sizeof kToken, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }
  void take() const { take_from(ends_.in); }

 private:
  Ends ends_;
  bool owns_;
};

}  // namespace threadping::signals

#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "experiments/hop/wire.hpp"
#include "failure.hpp"

namespace threadping::hop {

/// Throws Failure(unsupported): this did not work with a far end, for that reason.
[[noreturn]] inline void refuse(const std::string& what, const std::string& why) {
  throw Failure(ErrorCode::unsupported, what + " (" + why + ").");
}

/// The first socket address of a host that `use(socket, address)` says can be used. Throws Failure(unsupported).
template <class Use>
Socket socket_at(const Peer& peer, int type, const std::string& otherwise, Use use) {
  addrinfo wanted{};
  wanted.ai_socktype = type;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int refused = getaddrinfo(peer.host.c_str(), std::to_string(peer.port).c_str(), &wanted, &found);
  if (refused != 0) refuse(otherwise, gai_strerror(refused));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Socket socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    if (socket.get() >= 0 && use(socket.get(), *one)) return socket;
  }
  refuse(otherwise, std::strerror(errno));
}

}  // namespace threadping::hop

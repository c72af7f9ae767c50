#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/signal.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// The number, and tokens next to it, which are given with each number and for which the awaiter waits: give() and
/// take(), which takes at least one. Where no more can be held, giving one more changes nothing.
///
/// The write that must be seen is the number, stored before its token is given. The awaiter always takes a token before
/// it polls, so that it does not wake for nothing later. It cannot take in vain either: the thread that took the token
/// of n has seen n, and so await() has returned at least n; while it has not, the token is there, or about to be given.
/// 0 has a token too.
template <class Tokens>
struct WithTokens {
  struct Cell {
    std::atomic<std::uint64_t> published{0};
    Tokens tokens;

    explicit Cell(platform::Sharing sharing) : tokens(sharing) { tokens.give(); }
    explicit Cell(SecondTo<Cell> second)
      requires std::constructible_from<Tokens, SecondTo<Tokens>>
        : tokens(SecondTo<Tokens>{second.first.tokens}) {
      tokens.give();
    }
  };

  static void publish(Cell& cell, std::uint64_t n) {
    cell.published.store(n, std::memory_order_release);
    cell.tokens.give();
  }

  /// A stopped cell has tokens for the threads that wait now, but not for all later ones.
  static std::uint64_t await(Cell& cell, std::uint64_t n) {
    std::uint64_t seen = cell.published.load(std::memory_order_acquire);
    if (seen >= kStopped) return seen;
    do {
      cell.tokens.take();
    } while ((seen = cell.published.load(std::memory_order_acquire)) < n);
    return seen;
  }

  static void stop(Cell& cell) { publish(cell, kStopped); }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_relaxed); }
};

/// The permits of a POSIX semaphore (sem_post, sem_wait).
class Permits {
 public:
  explicit Permits(platform::Sharing sharing) {
    if (sem_init(&permits_, sharing == platform::Sharing::processes ? 1 : 0, 0) != 0)
      throw Failure(ErrorCode::unsupported,
                    std::string("No semaphore can be made here (") + std::strerror(errno) + ").");
  }
  Permits(const Permits&) = delete;
  Permits& operator=(const Permits&) = delete;
  ~Permits() { sem_destroy(&permits_); }

  void give() { sem_post(&permits_); }  // which fails where no more can be held
  void take() {
    while (sem_wait(&permits_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t permits_{};
};

/// A POSIX semaphore, which has a permit for each number.
struct Semaphore : WithTokens<Permits> {
  static constexpr std::string_view kName = "semaphore";
  static constexpr bool kBetweenProcesses = true;
};

/// Throws Failure(unsupported): `what` could not be had, for the reason in errno.
[[noreturn]] inline void refuse_descriptors(const char* what) {
  throw Failure(ErrorCode::unsupported, std::string("No further ") + what + " can be opened (" + std::strerror(errno) +
                                            "): raise the limit on open files (ulimit -Hn), or ask for fewer threads.");
}

/// What is given through the kernel: eight bytes, which count as one token wherever they are added up. One that finds
/// it full may be lost: what is there wakes the awaiter.
using Token = std::uint64_t;
inline constexpr Token kToken = 1;

/// Takes all tokens that are there, up to a page of them, and waits for the first.
inline void take_from(int descriptor) {
  std::array<std::byte, 4096> taken;
  while (read(descriptor, taken.data(), taken.size()) < 0 && errno == EINTR) {
  }
}

/// Where tokens are taken and where they are given.
struct Ends {
  int in;
  int out;
};

/// Tokens that are written at one end and read at the other, as kOpen() gives them. Writing must not wait for space.
template <Ends (*kOpen)()>
class Descriptors {
 public:
  explicit Descriptors(platform::Sharing /*sharing*/) {}
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  ~Descriptors() {
    close(ends_.in);
    if (ends_.out != ends_.in) close(ends_.out);
  }

  void give() const {
    while (write(ends_.out, &kToken, sizeof kToken) < 0 && errno == EINTR) {
    }
  }
  void take() const { take_from(ends_.in); }

 private:
  Ends ends_ = kOpen();
};

inline Ends open_eventfd() {
  const int both = eventfd(0, EFD_CLOEXEC);
  if (both < 0) refuse_descriptors("eventfd");
  return {.in = both, .out = both};
}

/// An eventfd: a counter in the kernel that a write adds to and a read takes as a whole.
struct Eventfd : WithTokens<Descriptors<open_eventfd>> {
  static constexpr std::string_view kName = "eventfd";
  static constexpr bool kBetweenProcesses = true;
};

inline Ends open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse_descriptors("pipe");
  if (fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0) refuse_descriptors("pipe");
  return {.in = ends[0], .out = ends[1]};
}

/// A pipe, which carries eight bytes for each number.
struct Pipe : WithTokens<Descriptors<open_pipe>> {
  static constexpr std::string_view kName = "pipe";
  static constexpr bool kBetweenProcesses = true;
};

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

inline Ends open_socketpair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse_descriptors("socket pair");
  return {.in = ends[0], .out = ends[1]};
}

/// A connected pair of Unix stream sockets.
struct Socketpair : WithTokens<Sockets<open_socketpair>> {
  static constexpr std::string_view kName = "socketpair";
  static constexpr bool kBetweenProcesses = true;
};

inline Ends connect_to_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* where = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens = listener >= 0 && out >= 0 && bind(listener, where, size) == 0 && listen(listener, 1) == 0 &&
                       getsockname(listener, where, &size) == 0;
  if (!listens || connect(out, where, size) != 0) refuse_descriptors("TCP connection to 127.0.0.1");
  const int in = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (in < 0) refuse_descriptors("TCP connection to 127.0.0.1");
  close(listener);
  const int on = 1;
  for (const int end : {in, out}) setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {.in = in, .out = out};
}

/// A TCP connection over the loopback interface, without Nagle's algorithm, which would hold a small message back.
struct TcpLoopback : WithTokens<Sockets<connect_to_loopback>> {
  static constexpr std::string_view kName = "tcp-loopback";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals

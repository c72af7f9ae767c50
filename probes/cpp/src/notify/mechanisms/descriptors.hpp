#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "notify/mechanism.hpp"

namespace threadping::notify {

/// Throws Failure(unsupported): `what` could not be had, for the reason in errno.
[[noreturn]] inline void refuse_descriptors(const char* what) {
  throw Failure(ErrorCode::unsupported, std::string("No further ") + what + " can be opened (" + std::strerror(errno) +
                                            "): raise the limit on open files (ulimit -Hn), or ask for fewer pairs.");
}

/// What the mechanisms share that wake by writing to the kernel: `Mechanism::open()` gives the descriptors of a cell,
/// Mechanism::Message is what a call writes, and Mechanism::Messages what a read takes at most.
///
/// The write that must be seen is what is told, which the kernel orders. The waiter always reads, so that it does not
/// wake for nothing later; news that it has not taken has its message there, or is about to.
template <class Mechanism>
struct Descriptors {
  struct Ends {
    int in = -1;
    int out = -1;
  };

  struct Cell {
    alignas(128) Told told;
    alignas(128) Ends ends = Mechanism::open();

    Cell() = default;
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() {
      close(ends.in);
      if (ends.out != ends.in) close(ends.out);
    }
  };

  /// A descriptor that is full has enough to wake the waiter.
  template <class Change>
  static void tell(Cell& cell, Change change) {
    change();
    const typename Mechanism::Message message{1};
    while (write(cell.ends.out, &message, sizeof message) < 0 && errno == EINTR) {
    }
  }

  template <class HasNews>
  static void await(Cell& cell, HasNews has_news) {
    do {
      typename Mechanism::Messages messages;
      while (read(cell.ends.in, &messages, sizeof messages) < 0 && errno == EINTR) {
      }
    } while (!has_news());
  }

 private:
  friend Mechanism;
  Descriptors() = default;
};

/// An eventfd: a counter in the kernel that a write adds to and a read takes as a whole.
struct Eventfd : Descriptors<Eventfd> {
  static constexpr std::string_view kName = "eventfd";
  using Message = std::uint64_t;
  using Messages = std::uint64_t;

  static Ends open() {
    const int both = eventfd(0, EFD_CLOEXEC);
    if (both < 0) refuse_descriptors("eventfd");
    return {.in = both, .out = both};
  }
};

/// A pipe, which carries a byte for each call. Its writing end does not wait where it is full.
struct Pipe : Descriptors<Pipe> {
  static constexpr std::string_view kName = "pipe";
  using Message = char;
  using Messages = std::array<char, 4096>;

  static Ends open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse_descriptors("pipe");
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return {.in = ends[0], .out = ends[1]};
  }
};

}  // namespace threadping::notify

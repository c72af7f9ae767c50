#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// Throws Failure(unsupported): `what` could not be had, for the reason in errno.
[[noreturn]] inline void refuse_descriptors(const char* what) {
  throw Failure(ErrorCode::unsupported, std::string("No further ") + what + " can be opened (" + std::strerror(errno) +
                                            "): raise the limit on open files (ulimit -Hn), or ask for fewer threads.");
}

/// What is given through the kernel: eight bytes, which stand for one token wherever they are added up. One that finds
/// no room may be lost: what is there wakes the awaiter.
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

/// Tokens that are written at one end and read at the other, as kOpen() gives them. Writing must not wait for room.
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

}  // namespace threadping::signals

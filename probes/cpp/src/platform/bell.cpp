#include "platform/bell.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include "failure.hpp"
#include "platform/clock.hpp"

namespace threadping::platform {

Bell::Bell() : rings_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (rings_ < 0)
    throw Failure(ErrorCode::internal, std::string("No eventfd can be opened: ") + std::strerror(errno) + ".");
}

Bell::~Bell() { close(rings_); }

void Bell::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(rings_, &one, sizeof one);
}

bool Bell::sleep(std::uint64_t until_ns) const {
  const std::uint64_t left = until_ns - std::min(now_ns(), until_ns);
  const timespec timeout{.tv_sec = static_cast<time_t>(left / 1'000'000'000U),
                         .tv_nsec = static_cast<long>(left % 1'000'000'000U)};
  pollfd ringing{.fd = rings_, .events = POLLIN, .revents = 0};
  if (ppoll(&ringing, 1, &timeout, nullptr) <= 0) return left > 0 && now_ns() < until_ns;
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t got = read(rings_, &rings, sizeof rings);
  return true;
}

}  // namespace threadping::platform

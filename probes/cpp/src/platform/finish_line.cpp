#include "platform/finish_line.hpp"

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

FinishLine::FinishLine(int runners)
    : crossings_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), missing_(static_cast<std::uint64_t>(runners)) {
  if (crossings_ < 0)
    throw Failure(ErrorCode::internal, std::string("No eventfd can be opened: ") + std::strerror(errno) + ".");
}

FinishLine::~FinishLine() { close(crossings_); }

void FinishLine::cross() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(crossings_, &one, sizeof one);
}

bool FinishLine::wait(std::uint64_t timeout_ns) {
  const std::uint64_t deadline = now_ns() + timeout_ns;
  while (missing_ > 0) {
    const std::uint64_t left = deadline - std::min(now_ns(), deadline);
    const timespec timeout{.tv_sec = static_cast<time_t>(left / 1'000'000'000U),
                           .tv_nsec = static_cast<long>(left % 1'000'000'000U)};
    pollfd crossing{.fd = crossings_, .events = POLLIN, .revents = 0};
    std::uint64_t crossed = 0;
    if (ppoll(&crossing, 1, &timeout, nullptr) > 0 && read(crossings_, &crossed, sizeof crossed) == sizeof crossed)
      missing_ -= std::min(missing_, crossed);
    else if (left == 0)
      return false;
  }
  return true;
}

}  // namespace threadping::platform

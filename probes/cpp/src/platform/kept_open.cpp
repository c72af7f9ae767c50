#include "platform/kept_open.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace threadping::platform {

/// The content may grow by as much again.
KeptOpen::KeptOpen(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(128) {
  while (read().size() > buffer_.size() / 2) buffer_.resize(2 * buffer_.size());
}

KeptOpen::~KeptOpen() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string_view KeptOpen::read() {
  const ssize_t got = pread(descriptor_, buffer_.data(), buffer_.size(), 0);
  return got > 0 ? std::string_view(buffer_.data(), static_cast<std::size_t>(got)) : std::string_view();
}

}  // namespace threadping::platform

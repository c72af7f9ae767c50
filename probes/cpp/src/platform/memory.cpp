#include "platform/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "failure.hpp"

namespace threadping::platform {

Memory::Memory(std::size_t bytes, Sharing sharing) : bytes_(bytes) {
  const int who = sharing == Sharing::threads ? MAP_PRIVATE : MAP_SHARED;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, who | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw Failure(ErrorCode::internal,
                  "No memory for " + std::to_string(bytes / 1024) + " KiB of lines: " + std::strerror(errno) + ".");
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  start_ = static_cast<std::byte*>(pages);
}

Memory::~Memory() { munmap(start_, bytes_); }

}  // namespace threadping::platform

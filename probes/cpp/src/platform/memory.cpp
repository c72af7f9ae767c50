#include "platform/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "numbers.hpp"

namespace threadping::platform {

void refuse_excess(std::size_t bytes, std::string_view what, std::string_view remedy) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  if (bytes <= kMostBytes) return;
  throw Failure(ErrorCode::bad_request, "Of memory " + std::string(what) + " would take " +
                                            with_commas((bytes + kMebibyte - 1) / kMebibyte) + " MiB, and may take " +
                                            with_commas(kMostBytes / kMebibyte) + ": " + std::string(remedy) + ".");
}

Memory::Memory(std::size_t bytes, Sharing sharing) : bytes_(bytes) {
  const int sharing_flag = sharing == Sharing::threads ? MAP_PRIVATE : MAP_SHARED;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing_flag | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw Failure(ErrorCode::internal,
                  "No memory for " + std::to_string(bytes / 1024) + " KiB of lines: " + std::strerror(errno) + ".");
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  start_ = static_cast<std::byte*>(pages);
}

Memory::~Memory() { munmap(start_, bytes_); }

}  // namespace threadping::platform

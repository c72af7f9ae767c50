#include "platform/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "numbers.hpp"
#include "platform/available.hpp"

namespace threadping::platform {
namespace {

std::atomic<std::int64_t> claimed{0};

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

}  // namespace

std::size_t bytes_left() {
  static const std::size_t most = std::min<std::uint64_t>(kMostBytes, available_bytes());
  const std::int64_t taken = std::max<std::int64_t>(claimed, 0);
  return most - std::min(most, static_cast<std::size_t>(taken));
}

void count_claims_anew() { claimed = 0; }

void refuse_excess(std::size_t bytes, std::string_view what, std::string_view remedy) {
  if (const std::size_t left = bytes_left(); bytes > left)
    throw Failure(ErrorCode::bad_request, "Of memory " + std::string(what) + " would take " +
                                              with_commas((bytes + kMebibyte - 1) / kMebibyte) + " MiB, and may take " +
                                              with_commas(left / kMebibyte) + ": " + std::string(remedy) + ".");
}

void claim(std::size_t bytes, std::string_view what, std::string_view remedy) {
  refuse_excess(bytes, what, remedy);
  claimed += static_cast<std::int64_t>(bytes);
}

Claim::Claim(std::size_t bytes, std::string_view what, std::string_view remedy) : bytes_(bytes) {
  claim(bytes, what, remedy);
}

Claim::~Claim() { claimed -= static_cast<std::int64_t>(bytes_); }

Memory::Memory(std::size_t bytes, Sharing sharing)
    : claim_(bytes, "what the threads share", "ask for fewer lines or threads, or for a smaller buffer") {
  const int sharing_flag = sharing == Sharing::threads ? MAP_PRIVATE : MAP_SHARED;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing_flag | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw Failure(ErrorCode::unsupported,
                  "No memory for " + std::to_string(bytes / 1024) + " KiB of lines (" + std::strerror(errno) +
                      "): raise the limit (ulimit -v, vm.max_map_count), or ask for fewer lines or threads.");
  madvise(pages, bytes, MADV_NOHUGEPAGE);  // refused where there are no huge pages
  start_ = static_cast<std::byte*>(pages);
}

Memory::~Memory() { munmap(start_, claim_.bytes()); }

}  // namespace threadping::platform

#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "failure.hpp"

namespace threadping::platform {

/// Two adjacent lines: Intel's spatial prefetcher moves lines in aligned pairs of 128 bytes (Intel 64 and IA-32
/// Architectures Optimization Reference Manual, "Data Prefetching"); Apple's cores have lines of 128 bytes.
inline constexpr std::size_t kLinePair = 128;
inline constexpr std::size_t kPage = 4096;

/// A pool of cells, each on a page of its own and each at another offset within its page, so that a trial does not
/// hang on the luck of one physical line's home in the last-level cache. The pages are touched here, not while
/// measuring. Small pages only: a huge page would give all cells neighbouring physical lines.
template <class Cell>
class Lines {
  static_assert(alignof(Cell) <= kLinePair && sizeof(Cell) + kLinePair <= kPage);

 public:
  /// Throws Failure(internal) when the system refuses the memory.
  explicit Lines(std::size_t count) : count_(count) {
    pages_ = mmap(nullptr, count * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED)
      throw Failure(ErrorCode::internal,
                    "No memory for " + std::to_string(count) + " lines of a page each: " + std::strerror(errno) + ".");
    madvise(pages_, count * kPage, MADV_NOHUGEPAGE);
    for (std::size_t index = 0; index < count; ++index) new (place_of(index)) Cell;
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    for (std::size_t index = 0; index < count_; ++index) std::destroy_at(&(*this)[index]);
    munmap(pages_, count_ * kPage);
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  Cell& operator[](std::size_t index) { return *std::launder(reinterpret_cast<Cell*>(place_of(index))); }

 private:
  [[nodiscard]] std::byte* place_of(std::size_t index) const {
    constexpr std::size_t kFootprint = (sizeof(Cell) + kLinePair - 1) / kLinePair * kLinePair;
    constexpr std::size_t kOffsets = (kPage - kFootprint) / kLinePair + 1;
    return static_cast<std::byte*>(pages_) + index * kPage + index % kOffsets * kLinePair;
  }

  std::size_t count_;
  void* pages_ = nullptr;
};

}  // namespace threadping::platform

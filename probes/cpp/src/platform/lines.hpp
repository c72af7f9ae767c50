#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>

#include "platform/memory.hpp"

namespace threadping::platform {

/// Two adjacent lines: Intel's spatial prefetcher moves lines in aligned pairs of 128 bytes (Intel 64 and IA-32
/// Architectures Optimization Reference Manual, "Data Prefetching"); Apple's cores have lines of 128 bytes.
inline constexpr std::size_t kLinePair = 128;
inline constexpr std::size_t kPage = 4096;

/// A pool of cells, each on a page of its own and each at another offset within its page, so that a trial does not
/// hang on the luck of one physical line's home in the last-level cache. The pages are touched here, not while
/// measuring. A cell is told who shares it, if it wants to know, or made with arguments of its own.
template <class Cell>
class Lines {
  static_assert(alignof(Cell) <= kLinePair && sizeof(Cell) + kLinePair <= kPage);

 public:
  /// Throws Failure(internal) when the system refuses the memory, and what a cell throws.
  template <class... Args>
  explicit Lines(std::size_t count, Sharing sharing = Sharing::threads, const Args&... args)
      : memory_(count * kPage, sharing) {
    try {
      for (; made_ < count; ++made_) {
        if constexpr (std::constructible_from<Cell, Sharing>)
          new (place_of(made_)) Cell(sharing);
        else
          new (place_of(made_)) Cell(args...);
      }
    } catch (...) {
      destroy();
      throw;
    }
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { destroy(); }

  [[nodiscard]] std::size_t size() const { return made_; }
  Cell& operator[](std::size_t index) { return *std::launder(reinterpret_cast<Cell*>(place_of(index))); }

 private:
  void destroy() {
    for (std::size_t index = 0; index < made_; ++index) std::destroy_at(&(*this)[index]);
  }

  [[nodiscard]] std::byte* place_of(std::size_t index) const {
    constexpr std::size_t kFootprint = (sizeof(Cell) + kLinePair - 1) / kLinePair * kLinePair;
    constexpr std::size_t kOffsets = (kPage - kFootprint) / kLinePair + 1;
    return memory_.start() + index * kPage + index % kOffsets * kLinePair;
  }

  Memory memory_;
  std::size_t made_ = 0;
};

}  // namespace threadping::platform

#pragma once

#include <algorithm>
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

/// What a timed loop is aligned to: a cache line of code, on x86 and on most ARM. Elsewhere in its line the same loop,
/// instruction by instruction, took up to 16% longer (docs/internals/loops.md), and its address changed with any code
/// added before it.
inline constexpr std::size_t kCodeLine = 64;

/// A pool of cells, each on pages of its own and each at another offset within its first page, so that a trial does not
/// hang on the luck of one physical line's home in the last-level cache. The pages are touched here, by the thread that
/// makes the pool, and not while measuring. Behind a cell there may be memory for what belongs to it but whose size
/// only the trial knows, from the next line pair on.
template <class Cell>
class Lines {
  static_assert(alignof(Cell) <= kLinePair);

 public:
  /// `make(place, extra)` makes the cell at `place`, and what is to be in the `extra` bytes behind it. Throws
  /// Failure(bad_request) for more memory than there may be, Failure(internal) when the system refuses it, and what
  /// `make` throws.
  template <class Make>
  Lines(std::size_t count, Sharing sharing, std::size_t extra, Make make)
      : footprint_(kHead + (extra + kLinePair - 1) / kLinePair * kLinePair),
        memory_(bounded(count * stride()), sharing) {
    try {
      for (; made_ < count; ++made_) make(static_cast<void*>(place_of(made_)), place_of(made_) + kHead);
    } catch (...) {
      destroy();
      throw;
    }
  }

  /// Cells that are made alike, with nothing behind them; with the sharing where they ask for it.
  explicit Lines(std::size_t count, Sharing sharing = Sharing::threads)
      : Lines(count, sharing, 0, [&](void* place, std::byte* /*extra*/) {
          if constexpr (std::constructible_from<Cell, Sharing>)
            new (place) Cell(sharing);
          else
            new (place) Cell;
        }) {}

  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { destroy(); }

  [[nodiscard]] std::size_t size() const { return made_; }
  Cell& operator[](std::size_t index) const { return *std::launder(reinterpret_cast<Cell*>(place_of(index))); }
  [[nodiscard]] const std::byte* memory() const { return memory_.start(); }

 private:
  static std::size_t bounded(std::size_t bytes) {
    refuse_excess(bytes, "the cells", "ask for fewer lines or threads, or for a smaller buffer");
    return bytes;
  }

  static constexpr std::size_t kHead = (sizeof(Cell) + kLinePair - 1) / kLinePair * kLinePair;

  /// Not inlined: every destructor and constructor of a class with such a pool would contain it.
  [[gnu::noinline]] void destroy() {
    for (std::size_t index = 0; index < made_; ++index) std::destroy_at(&(*this)[index]);
  }

  /// At least half a page to choose an offset from.
  [[nodiscard]] std::size_t stride() const { return (footprint_ + kPage / 2 + kPage - 1) / kPage * kPage; }

  [[nodiscard]] std::byte* place_of(std::size_t index) const {
    const std::size_t offsets = std::min((stride() - footprint_) / kLinePair + 1, kPage / kLinePair);
    return memory_.start() + index * stride() + index % offsets * kLinePair;
  }

  std::size_t footprint_;
  Memory memory_;
  std::size_t made_ = 0;
};

}  // namespace threadping::platform

#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

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

/// The part of a pool of cells that is the same for every type of cell, so that it is compiled once.
class CellPool {
 public:
  CellPool(const CellPool&) = delete;
  CellPool& operator=(const CellPool&) = delete;

  [[nodiscard]] std::size_t size() const { return made_; }
  [[nodiscard]] const std::byte* memory() const { return memory_.start(); }

 protected:
  /// `head`: the bytes of a cell, in whole line pairs; `extra`: those wanted behind it. Throws as Lines does.
  CellPool(std::size_t count, Sharing sharing, std::size_t head, std::size_t extra);
  ~CellPool();

  /// Has `make(context, place, extra)` make `count` cells. `destroy` is called for each of them when the pool goes, or
  /// when a later one cannot be made; null where nothing is to be done.
  void fill(std::size_t count, std::size_t head, void (*make)(void* context, void* place, std::byte* extra),
            void* context, void (*destroy)(void* place));

  [[nodiscard]] std::byte* place_of(std::size_t index) const {
    const std::size_t offsets = std::min((stride() - footprint_) / kLinePair + 1, kPage / kLinePair);
    return memory_.start() + index * stride() + index % offsets * kLinePair;
  }

 private:
  /// At least half a page to choose an offset from.
  [[nodiscard]] std::size_t stride() const { return (footprint_ + kPage / 2 + kPage - 1) / kPage * kPage; }

  std::size_t footprint_;
  Memory memory_;
  std::size_t made_ = 0;
  void (*destroy_)(void* place) = nullptr;
};

/// A pool of cells, each on pages of its own and each at another offset within its first page, so that a trial does not
/// hang on the luck of one physical line's home in the last-level cache. The pages are touched here, by the thread that
/// makes the pool, and not while measuring. Behind a cell there may be memory for what belongs to it but whose size
/// only the trial knows, from the next line pair on.
template <class Cell>
class Lines : public CellPool {
  static_assert(alignof(Cell) <= kLinePair);

 public:
  /// `make(place, extra)` makes the cell at `place`, and what is to be in the `extra` bytes behind it. Throws
  /// Failure(bad_request) for more memory than there may be, Failure(internal) when the system refuses it, and what
  /// `make` throws.
  template <class Make>
  Lines(std::size_t count, Sharing sharing, std::size_t extra, Make make) : CellPool(count, sharing, kHead, extra) {
    const auto make_one = [](void* context, void* place, std::byte* behind) {
      (*static_cast<Make*>(context))(place, behind);
    };
    if constexpr (std::is_trivially_destructible_v<Cell>)
      fill(count, kHead, make_one, &make, nullptr);
    else
      fill(count, kHead, make_one, &make, [](void* place) { std::destroy_at(cell_at(place)); });
  }

  /// Cells that are made alike, with nothing behind them; with the sharing where they ask for it.
  explicit Lines(std::size_t count, Sharing sharing = Sharing::threads)
      : Lines(count, sharing, 0, [sharing](void* place, std::byte* /*extra*/) {
          if constexpr (std::constructible_from<Cell, Sharing>)
            new (place) Cell(sharing);
          else
            new (place) Cell;
        }) {}

  Cell& operator[](std::size_t index) const { return *cell_at(place_of(index)); }

 private:
  static constexpr std::size_t kHead = (sizeof(Cell) + kLinePair - 1) / kLinePair * kLinePair;

  static Cell* cell_at(void* place) { return std::launder(static_cast<Cell*>(place)); }
};

}  // namespace threadping::platform

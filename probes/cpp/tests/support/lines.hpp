#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "platform/lines.hpp"

namespace threadping::tests {

/// A cache line of x86 and of most ARM.
inline constexpr std::size_t kLine = 64;

/// Addresses.
using Places = std::vector<std::uintptr_t>;

/// The lines of this size in which they are.
inline std::set<std::uintptr_t> lines_of(const Places& places, std::size_t size = kLine) {
  std::set<std::uintptr_t> lines;
  for (const std::uintptr_t place : places) lines.insert(place / size);
  return lines;
}

/// A copy of some memory.
class Snapshot {
 public:
  Snapshot(const void* start, std::size_t size)
      : start_(static_cast<const std::byte*>(start)), bytes_(start_, start_ + size) {}

  /// Where there is something else by now.
  [[nodiscard]] Places written() const {
    Places places;
    for (std::size_t offset = 0; offset < bytes_.size(); ++offset)
      if (start_[offset] != bytes_[offset]) places.push_back(reinterpret_cast<std::uintptr_t>(start_ + offset));
    return places;
  }

 private:
  const std::byte* start_;
  std::vector<std::byte> bytes_;
};

}  // namespace threadping::tests

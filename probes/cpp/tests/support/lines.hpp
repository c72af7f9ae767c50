#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "platform/lines.hpp"

namespace threadping::tests {

/// A cache line of x86 and of most ARM.
inline constexpr std::size_t kLine = 64;

/// The numbers of the lines, or of the pairs of them, in which these offsets stand.
inline std::set<std::size_t> lines_of(const std::vector<std::size_t>& offsets, std::size_t line = kLine) {
  std::set<std::size_t> lines;
  for (const std::size_t offset : offsets) lines.insert(offset / line);
  return lines;
}
inline std::set<std::size_t> pairs_of(const std::vector<std::size_t>& offsets) {
  return lines_of(offsets, platform::kLinePair);
}

/// The first page of some cells: the first cell, and what stands behind it.
class Page {
 public:
  using Bytes = std::vector<std::byte>;

  explicit Page(const std::byte* start) : start_(start) {}

  [[nodiscard]] Bytes bytes() const { return {start_, start_ + platform::kPage}; }

  /// At which offsets there is something else by now.
  [[nodiscard]] std::vector<std::size_t> written_since(const Bytes& before) const {
    std::vector<std::size_t> offsets;
    for (std::size_t offset = 0; offset < before.size(); ++offset)
      if (start_[offset] != before[offset]) offsets.push_back(offset);
    return offsets;
  }

  /// At which offsets this number stands.
  [[nodiscard]] std::vector<std::size_t> places_of(std::uint64_t number) const {
    std::vector<std::size_t> offsets;
    for (std::size_t offset = 0; offset < platform::kPage; offset += sizeof number)
      if (std::memcmp(start_ + offset, &number, sizeof number) == 0) offsets.push_back(offset);
    return offsets;
  }

 private:
  const std::byte* start_;
};

}  // namespace threadping::tests

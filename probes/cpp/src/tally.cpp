#include "tally.hpp"

#include <cstddef>

namespace threadping {
namespace {

constexpr std::size_t kShortBelow = 4096;

}  // namespace

Tally::Tally() : short_(kShortBelow, 0) {}

void Tally::add(std::span<const std::uint64_t> values) {
  for (const std::uint64_t value : values) ++(value < kShortBelow ? short_[value] : long_[value]);
}

std::map<std::uint64_t, std::uint64_t> Tally::by_value() const {
  std::map<std::uint64_t, std::uint64_t> all = long_;
  for (std::size_t value = 0; value < kShortBelow; ++value)
    if (short_[value] > 0) all[value] = short_[value];
  return all;
}

}  // namespace threadping

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace threadping::lock {

/// Which of a thread's operations write: a bit each. An exact percentage of them is set, in an order that a seed
/// shuffles before anything is timed; after the last the first comes again. Half a kilobyte, which stays in the
/// first-level cache; to ask it is a load, a shift and a branch that the CPU guesses.
class Turns {
 public:
  static constexpr std::size_t kBits = 4096;

  Turns(std::int64_t percent, std::uint64_t seed) {
    std::array<std::uint8_t, kBits> writes{};
    std::fill_n(writes.begin(), (static_cast<std::size_t>(percent) * kBits + 50) / 100, std::uint8_t{1});
    for (std::size_t last = kBits - 1; last > 0; --last) std::swap(writes[last], writes[next(seed) % (last + 1)]);
    for (std::size_t bit = 0; bit < kBits; ++bit)
      words_[bit / kWord] |= static_cast<std::uint64_t>(writes[bit]) << (bit % kWord);
  }

  /// Whether operation `number` writes.
  [[nodiscard]] bool writes(std::uint64_t number) const {
    const std::uint64_t bit = number % kBits;
    return (words_[bit / kWord] >> (bit % kWord) & 1) != 0;
  }

 private:
  static constexpr std::size_t kWord = 64;

  /// SplitMix64 (Steele and others, "Fast splittable pseudorandom number generators", 2014): the same in every
  /// language.
  static std::uint64_t next(std::uint64_t& state) {
    std::uint64_t mixed = state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

  std::array<std::uint64_t, kBits / kWord> words_{};
};

}  // namespace threadping::lock

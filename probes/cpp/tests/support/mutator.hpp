#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace threadping::tests {

/// Damages texts in the ways that files and programs do. The same seed gives the same damage.
class Mutator {
 public:
  Mutator(std::vector<std::string> texts, std::uint64_t seed) : texts_(std::move(texts)), random_(seed) {}

  std::string next() {
    std::string text = any();
    for (std::size_t times = 1 + below(3); times > 0; --times) mutate(text);
    return text;
  }

 private:
  void mutate(std::string& text) {
    const std::size_t place = below(text.size() + 1);
    switch (below(6)) {
      case 0: text.insert(place, text.substr(below(text.size() + 1), below(40))); break;
      case 1: text.resize(place); break;
      case 2: splice(text, place); break;
      case 3: swap_a_number(text, place); break;
      case 4: repeat(text, place); break;
      default:
        if (place < text.size())
          text[place] = static_cast<char>(static_cast<unsigned char>(text[place]) ^ 1U << below(8));
    }
  }

  void splice(std::string& text, std::size_t place) {
    const std::string& other = any();
    text = text.substr(0, place) + other.substr(below(other.size() + 1));
  }

  /// One letter many times: what is nested deeply, or is long.
  void repeat(std::string& text, std::size_t place) {
    if (place < text.size() && below(16) == 0) text.insert(place, std::string(below(2000), text[place]));
  }

  void swap_a_number(std::string& text, std::size_t place) {
    static constexpr std::array<std::string_view, 12> kNumbers{"0",    "-1",  "1.5",  "1e400",
                                                               "-0",   "1e3", "null", "18446744073709551616",
                                                               "\"\"", "{}",  "[]",   "9223372036854775808"};
    constexpr const char* kDigits = "0123456789";
    const std::size_t start = text.find_first_of(kDigits, place);
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of(kDigits, start), text.size());
    text.replace(start, end - start, kNumbers[below(kNumbers.size())]);
  }

  const std::string& any() { return texts_[below(texts_.size())]; }
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  std::vector<std::string> texts_;
  std::mt19937_64 random_;
};

}  // namespace threadping::tests

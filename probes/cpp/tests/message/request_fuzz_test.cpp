#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "message/request.hpp"
#include "support/files.hpp"

namespace threadping::message {
namespace {

/// Damages texts in the ways that files and programs do. The same seed gives the same damage.
class Mutator {
 public:
  Mutator(std::vector<std::string> texts, unsigned seed) : texts_(std::move(texts)), random_(seed) {}

  std::string next() {
    std::string text = any();
    for (std::size_t times = 1 + below(3); times > 0; --times) mutate(text);
    return text;
  }

 private:
  void mutate(std::string& text) {
    switch (below(5)) {
      case 0: flip_a_bit(text); break;
      case 1: text.resize(below(text.size() + 1)); break;
      case 2: splice(text); break;
      case 3: swap_a_number(text); break;
      default: repeat_a_part(text);
    }
  }

  void flip_a_bit(std::string& text) {
    if (text.empty()) return;
    char& byte = text[below(text.size())];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ 1U << below(8));
  }

  void splice(std::string& text) {
    const std::string& other = any();
    text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size() + 1));
  }

  void swap_a_number(std::string& text) {
    static const std::vector<std::string> kNumbers{"0",    "-1",  "1.5",  "1e400",
                                                   "-0",   "1e3", "null", "18446744073709551616",
                                                   "\"\"", "{}",  "[]",   "9223372036854775808"};
    constexpr const char* kDigits = "0123456789";
    const std::size_t start = text.find_first_of(kDigits, below(text.size() + 1));
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of(kDigits, start), text.size());
    text.replace(start, end - start, kNumbers[below(kNumbers.size())]);
  }

  void repeat_a_part(std::string& text) {
    const std::size_t start = below(text.size() + 1);
    text.insert(below(text.size() + 1), text.substr(start, below(40)));
  }

  const std::string& any() { return texts_[below(texts_.size())]; }
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }

  std::vector<std::string> texts_;
  std::mt19937_64 random_;
};

TEST(ParseRequestFuzz, EitherParsesOrSaysWhy) {
  std::vector<std::string> texts;
  for (const auto& file : tests::examples("bad", "request")) texts.push_back(tests::read_file(file));
  for (const auto& file : tests::examples("good", "request")) texts.insert(texts.end(), 10, tests::read_file(file));
  Mutator mutator(std::move(texts), 20'110'918);
  int accepted = 0;
  int refused = 0;
  for (int attempt = 0; attempt < 30'000; ++attempt) {
    const std::string text = mutator.next();
    try {
      const Request request = parse_request(text);
      EXPECT_FALSE(request.cpus.empty() || request.mechanism.empty()) << text;
      ++accepted;
    } catch (const Failure& failure) {
      ASSERT_EQ(failure.code(), ErrorCode::bad_request) << text;
      ASSERT_STRNE(failure.what(), "") << text;
      ++refused;
    }
  }
  EXPECT_GT(accepted, 100);  // the damage is not so heavy that only the first check is met
  EXPECT_GT(refused, 10'000);
}

}  // namespace
}  // namespace threadping::message

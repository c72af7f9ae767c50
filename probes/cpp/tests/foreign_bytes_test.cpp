// Whatever reads bytes that others wrote, with bytes that are damaged. `make fuzz` does the same for longer, and
// guided.

#include <gtest/gtest.h>

#include "support/allocations.hpp"
#include "support/mutator.hpp"
#include "support/parsers.hpp"

namespace threadping::tests {
namespace {

class ForeignBytes : public testing::TestWithParam<Parser> {};
INSTANTIATE_TEST_SUITE_P(ReadAs, ForeignBytes, testing::ValuesIn(parsers().begin(), parsers().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// And take no more memory than some times their own.
TEST_P(ForeignBytes, AreReadOrRefusedHoweverTheyAreDamaged) {
  constexpr int kInputs = 3'000;
  constexpr std::uint64_t kBytesForAByte = 400;
  constexpr std::uint64_t kBytesForNothing = 200'000;
  Mutator mutator(GetParam().examples(), 20'110'918);
  for (int attempt = 0; attempt < kInputs; ++attempt) {
    const std::string bytes = mutator.next();
    const std::uint64_t before = bytes_of_this_thread();
    ASSERT_EQ(GetParam().read(bytes), "") << testing::PrintToString(bytes);
    ASSERT_LE(bytes_of_this_thread() - before, kBytesForNothing + kBytesForAByte * bytes.size())
        << testing::PrintToString(bytes);
  }
}

TEST_P(ForeignBytes, AreReadAsTheyAreMeant) {
  for (const std::string& bytes : GetParam().examples()) EXPECT_EQ(GetParam().read(bytes), "") << bytes;
}

}  // namespace
}  // namespace threadping::tests

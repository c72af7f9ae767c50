#include "support/schema.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/files.hpp"

namespace threadping::tests {
namespace {

/// The other tests trust this checker with what the probe writes: it must agree with the contract's own examples.
class Schema : public testing::TestWithParam<const char*> {};

TEST_P(Schema, AcceptsTheGoodExamples) {
  for (const auto& file : examples("good", GetParam()))
    EXPECT_EQ(complaints(read_file(file), GetParam()), std::vector<std::string>{}) << file;
}

TEST_P(Schema, RefusesTheBadExamples) {
  for (const auto& file : examples("bad", GetParam()))
    EXPECT_NE(complaints(read_file(file), GetParam()), std::vector<std::string>{}) << file;
}

INSTANTIATE_TEST_SUITE_P(Every, Schema, testing::Values("describe", "request", "result", "topology"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace threadping::tests

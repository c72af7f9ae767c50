#include "message/lock_result.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/schema.hpp"

namespace threadping::message {
namespace {

LockResult example() {
  LockResult result;
  result.mechanism = "unprotected";
  result.threads = {{.role = "worker", .cpus_start = {0}, .cpus_end = {0}, .counters = {}}};
  result.clock = {.cost_ns = 20.0, .resolution_ns = 1};
  result.windows = {{.line = 3, .sampled = false, .ns = 1000, .ops = {7}},
                    {.line = 3, .sampled = true, .ns = 500, .ops = {2}}};
  result.sample_every = 64;
  result.waits = {{20, 5}, {900, 1}};
  result.exact = false;
  result.made = 30;
  result.found = 28;
  return result;
}

TEST(LockResultMessage, HasEveryFigureInItsPlace) {
  const std::string text = to_json(example());
  const std::string expected =
      R"("windows":[{"line":3,"sampled":false,"ns":1000,"ops":[7]},{"line":3,"sampled":true,"ns":500,"ops":[2]}],)"
      R"("sampling":{"every":64},"waits":{"values_ns":[20,900],"counts":[5,1]},)"
      R"("counter":{"exact":false,"made":30,"found":28}})";
  EXPECT_TRUE(text.starts_with(R"({"schema":1,"experiment":"lock","mechanism":"unprotected",)")) << text;
  EXPECT_TRUE(text.ends_with(expected)) << text;
  EXPECT_EQ(tests::complaints(text, "result"), std::vector<std::string>{});
}

TEST(LockResultMessage, OfATrialThatWasCutInTheWarmUpKeepsTheContract) {
  LockResult result = example();
  result.windows.clear();
  result.waits.clear();
  EXPECT_EQ(tests::complaints(to_json(result), "result"), std::vector<std::string>{});
}

}  // namespace
}  // namespace threadping::message

#include <gtest/gtest.h>

#include "platform/pinning.hpp"

namespace threadping::tests {
namespace {

/// No test leaves the thread that runs them all pinned: those after it would be skipped, for lack of a second CPU.
class StaysWhereItWas : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& /*ended*/) override {
    EXPECT_EQ(platform::allowed_cpus(), before_) << "this test left its thread pinned";
  }

 private:
  const platform::CpuSet before_ = platform::allowed_cpus();
};

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): then no test runs
const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new StaysWhereItWas);
  return true;
}();

}  // namespace
}  // namespace threadping::tests

#include "failure.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

#include "message/result.hpp"
#include "support/schema.hpp"

namespace threadping {
namespace {

constexpr int kCodes = static_cast<int>(ErrorCode::internal) + 1;

TEST(ErrorCodes, EachIsOneOfTheContracts) {
  std::set<std::string> names;
  for (int code = 0; code < kCodes; ++code) {
    const Failure failure(static_cast<ErrorCode>(code), "Why.");
    names.insert(name_of(failure.code()));
    EXPECT_TRUE(tests::complaints(message::to_json(failure), "result").empty()) << name_of(failure.code());
  }
  EXPECT_EQ(names.size(), std::size_t{kCodes});
}

TEST(ErrorCodes, ExitStatusTellsARequestFromAFailure) {
  for (const ErrorCode code : {ErrorCode::bad_request, ErrorCode::unknown_experiment, ErrorCode::unknown_mechanism,
                               ErrorCode::unknown_param, ErrorCode::unsupported})
    EXPECT_EQ(exit_status_of(code), 2) << name_of(code);
  for (const ErrorCode code : {ErrorCode::pin_failed, ErrorCode::stalled, ErrorCode::sequence_broken,
                               ErrorCode::count_wrong, ErrorCode::internal})
    EXPECT_EQ(exit_status_of(code), 1) << name_of(code);
}

}  // namespace
}  // namespace threadping

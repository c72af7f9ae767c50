#include <gtest/gtest.h>

#include "contract/request.hpp"
#include "support/failures.hpp"
#include "support/files.hpp"
#include "support/mutator.hpp"

namespace threadping::contract {
namespace {

TEST(ParseRequestFuzz, EitherParsesOrSaysWhy) {
  std::vector<std::string> texts;
  for (const auto& file : tests::examples("bad", "request")) texts.push_back(tests::read_file(file));
  for (const auto& file : tests::examples("good", "request")) texts.insert(texts.end(), 10, tests::read_file(file));
  tests::Mutator mutator(std::move(texts), 20'110'918);
  int accepted = 0;
  int refused = 0;
  for (int attempt = 0; attempt < 1'500; ++attempt) {
    const std::string text = mutator.next();
    const std::string failure = tests::failure_of([&] { parse_request(text); });
    ++(failure == "accepted" ? accepted : refused);
    ASSERT_TRUE(failure == "accepted" || (failure.starts_with("bad-request: ") && failure.ends_with('.'))) << text;
  }
  EXPECT_GT(accepted, 4);  // the damage is not so heavy that only the first check is met
  EXPECT_GT(refused, 450);
}

}  // namespace
}  // namespace threadping::contract

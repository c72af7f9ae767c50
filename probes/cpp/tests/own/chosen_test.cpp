#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "own/own.hpp"

// Which class of a header is measured, and what is said where none is, or several.

namespace threadping::own {
namespace {

template <class Message>
class Half {
 public:
  explicit Half(std::size_t size);
  bool push(const Message& message);
};

struct Abstract {
  virtual ~Abstract() = default;
  Abstract(const Abstract&) = delete;
  Abstract& operator=(const Abstract&) = delete;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

class Other {};

class A {
 public:
  void lock() {}
  void unlock() {}
};

class B {
 public:
  void acquire() {}
  void release() {}
};

class Both : public A {
 public:
  void publish(std::uint64_t number) { last_ = number; }
  [[nodiscard]] std::uint64_t await(std::uint64_t /*number*/) const { return last_; }
  void stop() {}
  [[nodiscard]] std::uint64_t peek() const { return last_; }

 private:
  std::uint64_t last_ = 0;
};

void refuses(const Header& header, const char* sentence) {
  std::string program = "probe";
  std::string check = "check";
  std::array words{program.data(), check.data()};
  EXPECT_EXIT(run_own(header, "my.hpp", {}, 2, words.data()), testing::ExitedWithCode(2), sentence);
}

TEST(Chosen, SaysOfWhatIsNoMechanismWhatItIsMostLike) {
  Header half;
  half.consider<Half>("Half");
  refuses(half, R"(^'Half' of 'my.hpp' is most like a queue, but lacks bool pop\(Message&\)\.)");
  Header abstract;
  abstract.consider<Abstract>("Abstract");
  refuses(abstract, "^'Abstract' of 'my.hpp' is abstract");
  Header other;
  other.consider<Other>("Other");
  refuses(other, "^No class of 'my.hpp' is a signal");
}

TEST(Chosen, SaysWhichItCouldBe) {
  Header two;
  two.consider<A>("A");
  two.consider<B>("B");
  refuses(two, "^'my.hpp' has several classes that can be measured, A and B. Name one: my.hpp:A.");
  Header both;
  both.consider<Both>("Both");
  refuses(both, "^'Both' of 'my.hpp' is both a lock and a signal.");
}

}  // namespace
}  // namespace threadping::own

#include "platform/text_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.hpp"

namespace threadping::platform {
namespace {

TEST(Text, IsReadWhole) {
  const tests::TemporaryDirectory folder;
  const std::string longer_than_a_piece(10'000, 'x');
  tests::write_file(folder / "long", longer_than_a_piece);
  tests::write_file(folder / "empty", "");
  EXPECT_EQ(read_text(folder / "long"), longer_than_a_piece);
  EXPECT_EQ(read_text(folder / "empty"), "");
  EXPECT_TRUE(read_text("/proc/self/stat").value_or("").ends_with('\n'));  // of whose size the kernel says 0
  EXPECT_EQ(read_text(folder / "missing"), std::nullopt);
  EXPECT_EQ(read_text(folder / "."), std::nullopt);
}

TEST(Text, IsWrittenWholeOrNotAtAll) {
  const tests::TemporaryDirectory folder;
  EXPECT_TRUE(write_text(folder / "result", "first"));
  EXPECT_TRUE(write_text(folder / "result", "second\n"));
  EXPECT_EQ(read_text(folder / "result"), "second\n");
  EXPECT_EQ(names_in(folder / "."), std::vector<std::string>{"result"});
  EXPECT_FALSE(write_text(folder / "missing/result", "third"));
  std::filesystem::create_symlink("/dev/full", folder / "other.part");
  EXPECT_FALSE(write_text(folder / "other", "no space for it"));
  EXPECT_EQ(names_in(folder / "."), std::vector<std::string>{"result"});
}

TEST(Names, OfAFolderThatIsNotThereAreNone) { EXPECT_TRUE(names_in("/missing").empty()); }

TEST(Lines, AreCutOffWithoutTheirEnds) {
  std::string_view text = "one\n\nthree";
  EXPECT_EQ(next_line(text), "one");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "three");
  EXPECT_EQ(next_line(text), std::nullopt);
}

TEST(Words, AreWhatIsBetweenSpaces) {
  std::string_view text = "  one\ttwo\n";
  EXPECT_EQ(next_word(text), "one");
  EXPECT_EQ(next_word(text), "two");
  EXPECT_EQ(next_word(text), "");
}

TEST(Numbers, AreCutOffAndNothingElse) {
  std::string_view text = " 12 34kB -5";
  EXPECT_EQ(next_number(text), 12U);
  EXPECT_EQ(next_number(text), 34U);
  EXPECT_EQ(next_number(text), std::nullopt);
  EXPECT_EQ(text, "kB -5");
  text.remove_prefix(2);
  EXPECT_EQ(next_number(text), std::nullopt);
}

}  // namespace
}  // namespace threadping::platform

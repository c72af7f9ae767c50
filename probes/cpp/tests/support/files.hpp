#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace threadping::tests {

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view text);

/// The contract's examples of one kind ("good" or "bad") of one message ("request"), by name.
std::vector<std::filesystem::path> examples(std::string_view kind, std::string_view message);

/// One of the contract's examples ("good/request-lock.json").
std::filesystem::path example(std::string_view name);

/// A directory of its own for each test, gone afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace threadping::tests

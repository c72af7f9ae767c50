#include "support/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace threadping::tests {

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::filesystem::path> examples(std::string_view kind, std::string_view message) {
  std::vector<std::filesystem::path> found;
  const std::filesystem::path folder = example(kind);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (name.substr(0, name.find('-')) == message) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (found.empty()) throw std::runtime_error("no example in " + folder.string());
  return found;
}

std::filesystem::path example(std::string_view name) {
  return std::filesystem::path(THREADPING_CONTRACT) / "examples" / name;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "threadping-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory can be made");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace threadping::tests

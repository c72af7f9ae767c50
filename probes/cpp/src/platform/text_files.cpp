#include "platform/text_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>

#include "platform/descriptor.hpp"

namespace threadping::platform {
namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";

void skip_space(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size())); }

/// False where not all of it could be written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A full disk may show only when the file is closed.
bool write_draft(const std::string& draft, std::string_view text) {
  const int descriptor = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool whole = write_all(descriptor, text);
  return close(descriptor) == 0 && whole;
}

}  // namespace

std::optional<std::string> read_text(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = read(file.get(), piece.data(), piece.size());
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

bool write_text(const std::string& path, std::string_view text) {
  const std::string draft = path + ".part";
  if (write_draft(draft, text) && std::rename(draft.c_str(), path.c_str()) == 0) return true;
  std::remove(draft.c_str());
  return false;
}

void print(std::string_view text) { write_all(STDOUT_FILENO, text); }

void print_error(std::string_view text) { write_all(STDERR_FILENO, text); }

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const auto close_folder = [](DIR* opened) { closedir(opened); };
  const std::unique_ptr<DIR, decltype(close_folder)> opened(opendir(folder.c_str()), close_folder);
  while (const dirent* entry = opened ? readdir(opened.get()) : nullptr)
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
  return names;
}

std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string_view next_word(std::string_view& text) {
  skip_space(text);
  const std::string_view word = text.substr(0, text.find_first_of(kSpace));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> next_number(std::string_view& text) {
  std::string_view left = text;
  skip_space(left);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), number);
  if (error != std::errc()) return std::nullopt;
  text = left.substr(static_cast<std::size_t>(end - left.data()));
  return number;
}

}  // namespace threadping::platform

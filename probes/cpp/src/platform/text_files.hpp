#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// By system calls alone: the streams of the standard library bring their locales, a fifth of a probe that is linked
// statically.
namespace threadping::platform {

/// The whole of a file, also of one whose size the kernel does not know before it is read; nullopt where it cannot be.
std::optional<std::string> read_text(const std::string& path);

/// Whole or not at all: a reader never finds half a text. False where it cannot be written.
bool write_text(const std::string& path, std::string_view text);

/// To standard output, or to standard error; what nobody reads any more is lost.
void print(std::string_view text);
void print_error(std::string_view text);

/// The names in a folder, but for "." and ".."; none where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

/// Cuts a line off, without its end; nullopt where none is left.
std::optional<std::string_view> next_line(std::string_view& text);

/// Cuts a word off, and the white space before it; empty where none is left.
std::string_view next_word(std::string_view& text);

/// Cuts a number off, and the white space before it; nullopt, and the text unchanged, where something else is
/// there.
std::optional<std::uint64_t> next_number(std::string_view& text);

}  // namespace threadping::platform

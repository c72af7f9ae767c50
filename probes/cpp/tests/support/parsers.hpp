#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace threadping::tests {

/// What reads bytes that others wrote, and examples of what it is to read.
struct Parser {
  std::string_view name;
  /// Empty where it kept its contract with these bytes; else what it did.
  std::string (*read)(std::string_view bytes);
  std::vector<std::string> (*examples)();
};

/// All there are in this probe.
std::span<const Parser> parsers();

}  // namespace threadping::tests

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace threadping::tests {

/// What is wrong with a message by one of the contract's schemas ("result"), each complaint with its place; nothing if
/// it is valid. Knows the part of JSON Schema that the contract uses, and throws on a keyword beyond it.
std::vector<std::string> complaints(std::string_view message, std::string_view schema);

}  // namespace threadping::tests

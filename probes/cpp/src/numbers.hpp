#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace threadping {

/// 1,234,567: a number as a sentence for a person has it.
inline std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  return digits;
}

}  // namespace threadping

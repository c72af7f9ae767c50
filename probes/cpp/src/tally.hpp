#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace threadping {

/// Counts how often each of very many nanosecond values occurred, exactly. Nearly all of a million are short, and for
/// those a table is kept: a map alone takes 15 ms.
class Tally {
 public:
  Tally();
  void add(std::span<const std::uint64_t> values);
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> by_value() const;

 private:
  std::vector<std::uint64_t> short_;
  std::map<std::uint64_t, std::uint64_t> long_;
};

}  // namespace threadping

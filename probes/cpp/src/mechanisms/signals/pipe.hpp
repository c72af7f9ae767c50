#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "mechanisms/signals/descriptors.hpp"
#include "mechanisms/signals/tokens.hpp"

namespace threadping::signals {

inline Ends open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse_descriptors("pipe");
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return {.in = ends[0], .out = ends[1]};
}

/// A pipe, which carries eight bytes for each number.
struct Pipe : WithTokens<Descriptors<open_pipe>> {
  static constexpr std::string_view kName = "pipe";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals

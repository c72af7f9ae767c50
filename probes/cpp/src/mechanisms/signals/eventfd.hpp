#pragma once

#include <sys/eventfd.h>

#include <string_view>

#include "mechanisms/signals/descriptors.hpp"
#include "mechanisms/signals/tokens.hpp"

namespace threadping::signals {

inline Ends open_eventfd() {
  const int both = eventfd(0, EFD_CLOEXEC);
  if (both < 0) refuse_descriptors("eventfd");
  return {.in = both, .out = both};
}

/// An eventfd: a counter in the kernel that a write adds to and a read takes as a whole.
struct Eventfd : WithTokens<Descriptors<open_eventfd>> {
  static constexpr std::string_view kName = "eventfd";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace threadping {

/// The value of another parameter without which a parameter may not be given.
struct OnlyWith {
  std::string_view param;
  std::string_view value;
};

// GCC warns of a field that a designated initializer leaves out, unless it has an initializer of its own.
// NOLINTBEGIN(readability-redundant-member-init)

/// A parameter of a mechanism: a text if it has choices, a whole number otherwise.
struct ParamInfo {
  std::string_view name;
  std::string_view summary;                        ///< One sentence.
  std::span<const std::string_view> choices = {};  ///< What a text may be; the first is the default.
  std::int64_t number = 0;                         ///< A number's default,
  std::int64_t least = 0;                          ///< its least
  std::int64_t most = 0;                           ///< and its most.
  OnlyWith only_with = {};                         ///< Empty where it may always be given.
};

/// What `probe describe` says of a mechanism.
struct MechanismInfo {
  std::string_view name;
  std::string_view summary;                ///< One sentence: what it does.
  std::string_view cpu_cost;               ///< One sentence: what it costs the CPU, and when to choose it.
  bool blocking;                           ///< Whether a waiting thread sleeps in the kernel.
  std::string_view timed;                  ///< What is timed one by one: "round trip".
  std::uint32_t lines;                     ///< How many lines it is measured over unless the request says otherwise.
  std::span<const ParamInfo> params = {};  ///< What a request may set.
};

// NOLINTEND(readability-redundant-member-init)

}  // namespace threadping

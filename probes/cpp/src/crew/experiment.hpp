#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "crew/loops.hpp"
#include "message/request.hpp"

namespace threadping::crew {

class Params;

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
  std::span<const std::string_view> choices = {};  ///< What a text may be; the first is the default.
  std::int64_t number = 0;                         ///< A number's default,
  std::int64_t least = 0;                          ///< its least
  std::int64_t most = 0;                           ///< and its most.
  OnlyWith only_with = {};                         ///< Empty where it may always be given.
};

/// What a mechanism says of itself that contract/words.json does not know, in a sentence each.
struct Words {
  std::string_view summary;  ///< What it does.
  std::string_view costs;    ///< What it costs the CPU, and when to choose it.
};

/// What a trial's loops are made of.
struct Setup {
  const Params& params;
  std::size_t lines;
  std::size_t threads;
};

/// A way for threads to do what an experiment asks, and how its loops are made. Making them throws Failure.
struct Mechanism {
  std::string_view name;                   ///< The same in every language.
  bool blocking;                           ///< Whether a waiting thread sleeps in the kernel.
  std::string_view timed;                  ///< The name of the distribution of what is timed one by one.
  std::uint32_t lines;                     ///< How many lines it is measured over unless the request says otherwise.
  std::span<const ParamInfo> params = {};  ///< What a request may set.
  std::optional<Words> words = {};         ///< For one that stands nowhere in contract/words.json.
  std::unique_ptr<Loops> (*make)(const Setup& setup);
};

// NOLINTEND(readability-redundant-member-init)

/// A question that this probe can answer.
struct Experiment {
  std::string_view name;
  std::span<const std::string_view> roles;  ///< Of the threads in order; the last is for all further ones.
  std::size_t least_threads;
  std::size_t most_threads;
  message::Unit windows;              ///< Who leads: with ops the first thread, with ns an outsider.
  std::string_view stalled;           ///< What to say when nobody moves any more.
  std::vector<Mechanism> mechanisms;  ///< In the order in which they are shown.
};

}  // namespace threadping::crew

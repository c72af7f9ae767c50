#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/request.hpp"
#include "engine/params.hpp"
#include "engine/stage.hpp"
#include "failure.hpp"

namespace threadping::engine {

// GCC warns of a field that a designated initializer leaves out, unless it has an initializer of its own.
// NOLINTBEGIN(readability-redundant-member-init)

/// A distribution of numbers that a role reports in addition to what it times, and their unit.
struct NumberInfo {
  std::string_view name;
  std::string_view unit;
};

/// What some of the threads are. What one times is the mechanism's `timed`.
struct Role {
  std::string_view name;
  bool counts;                                     ///< Whether its operations are the experiment's.
  std::span<const NumberInfo> numbers = {};        ///< Indexed as in Samples::number.
  std::span<const std::string_view> tallies = {};  ///< Indexed as in Samples::tally.
  bool times = true;                               ///< Where it times nothing its threads have nothing to look into.
};

/// What a mechanism says of itself that contract/words.json does not know, in a sentence each.
struct Description {
  std::string_view summary;  ///< What it does.
  std::string_view costs;    ///< What it costs the CPU, and when to choose it.
};

/// What a trial's stage is made of.
struct Setup {
  const Params& params;
  std::size_t lines;
  std::size_t threads;
  std::uint64_t seed = 0;
  bool blocking = false;  ///< Whether the mechanism says so.
  bool crowded = false;   ///< Whether there are more threads than CPUs for them.
};

/// A way for threads to do what an experiment asks, and how its stage is made. Making it throws Failure.
struct Mechanism {
  std::string_view name;  ///< The same in every language.
  bool blocking;          ///< Whether a waiting thread sleeps in the kernel.
  /// For each role the name of the distribution of what it times one by one; the last is for all further roles.
  std::span<const std::string_view> timed;
  std::uint32_t lines;                     ///< How many lines it is measured over unless the request says otherwise.
  std::span<const ParamInfo> params = {};  ///< What a request may set.
  std::optional<Description> words = {};   ///< For one that is not in contract/words.json.
  std::string_view needs = {};             ///< What it lacks here; empty where it can be measured.
  bool pinnable = true;                    ///< Whether its threads have CPUs of their own.
  std::function<std::unique_ptr<Stage>(const Setup& setup)> make;
};

// NOLINTEND(readability-redundant-member-init)

/// A question that this probe can answer.
struct Experiment {
  std::string_view name;
  std::span<const Role> roles;
  std::size_t least_threads;
  std::size_t most_threads;
  contract::Unit windows;    ///< Which thread leads: with ops the first, with ns an outsider.
  std::string_view stalled;  ///< What to say when nobody moves any more.
  bool stream = false;       ///< It has one line, and flows from the first order to the last: windows are marks in it.
  /// Its operations are due whether or not those before have ended: all that end in the measuring phase are recorded,
  /// in the windows and between them. A thread that stalls puts off the next window, and what was due meanwhile would
  /// be in none.
  bool open_loop = false;
  std::vector<Mechanism> mechanisms;  ///< In the order in which they are shown.
};

/// The one of these that a request asks for, `name` being each's name. Throws Failure(unknown_experiment).
template <class Experiments, class Name = std::string_view Experiment::*>
auto& asked_for(const contract::Request& request, Experiments& all, Name name = &Experiment::name) {
  const auto found = std::ranges::find(all, request.experiment, name);
  if (found == std::ranges::end(all))
    throw Failure(ErrorCode::unknown_experiment, "No experiment '" + request.experiment + "' here.");
  return *found;
}

}  // namespace threadping::engine

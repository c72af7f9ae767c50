#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace threadping {

/// The message of a result, of a request's.
using Measure = std::function<std::string(std::string_view request)>;

/// What follows a command: names, such as "--cpu", and values.
class Options {
 public:
  explicit Options(std::map<std::string, std::string> given) : given_(std::move(given)) {}
  [[nodiscard]] bool has(const std::string& name) const { return given_.contains(name); }
  [[nodiscard]] const std::string& text(const std::string& name) const { return given_.at(name); }
  /// Null where it is not given. Throws Failure(bad_request) for what is no whole number within these bounds.
  [[nodiscard]] std::optional<int> number(const std::string& name, int least = 0,
                                          int most = std::numeric_limits<int>::max()) const;

 private:
  std::map<std::string, std::string> given_;
};

struct Command {
  std::string_view name;
  std::vector<std::string> needed;         ///< The options that must be there,
  std::vector<std::string> optional;       ///< and those that may be.
  std::function<int(const Options&)> act;  ///< Gives the exit status. What it throws is said.
};

/// `describe`, and `run` of a trial: from the one file into the other. A failed one leaves its error there. Each ends
/// at once unless --parent, where it is given, started it.
std::vector<Command> commands_of(const std::function<std::string()>& describe, const Measure& measure);

/// A whole program of these commands. Ends the process, without unwinding what threads that could not be stopped may
/// still be using; with exit status 2, and a usage, for words that are no command of its.
[[noreturn]] void run_program(const std::vector<std::string>& words, const std::vector<Command>& commands);

}  // namespace threadping

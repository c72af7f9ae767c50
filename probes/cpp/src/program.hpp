#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace threadping {

/// The message of a result, of a request's.
using Measure = std::function<std::string(std::string_view request)>;

/// `run` of a probe: from the one file into the other. A failed trial leaves its error there. Ends at once unless
/// `parent` started it. Gives the exit status.
int run_files(const std::string& request_file, const std::string& result_file, std::optional<int> parent,
              const Measure& measure);

/// A whole probe: `describe` and `run`. Ends the process, without unwinding what threads that could not be stopped may
/// still be using.
[[noreturn]] void run_program(const std::vector<std::string>& words, const std::function<std::string()>& describe,
                              const Measure& measure);

}  // namespace threadping

#include "program.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "contract/result.hpp"
#include "failure.hpp"
#include "platform/text_files.hpp"
#include "platform/threads.hpp"

namespace threadping {
namespace {

constexpr const char* kUsage =
    "describe | run --request FILE --result FILE [--parent PID]\n"
    "A probe of threadping: says what it can measure, or measures one trial. See contract/README.md.\n";

std::string read_request(const std::string& file) {
  auto text = platform::read_text(file);
  if (!text) throw Failure(ErrorCode::bad_request, "The request file '" + file + "' cannot be read.");
  return *std::move(text);
}

bool write_result(const std::string& file, const std::string& text) {
  if (platform::write_text(file, text + '\n')) return true;
  platform::print_error("The result file '" + file + "' cannot be written.\n");
  return false;
}

/// Those of `run`, by name; nullopt where they are others.
std::optional<std::map<std::string, std::string>> options_of(const std::vector<std::string>& words) {
  std::map<std::string, std::string> options;
  for (std::size_t word = 1; word + 1 < words.size(); word += 2) options[words[word]] = words[word + 1];
  const bool run = !words.empty() && words.front() == "run" && words.size() == 1 + 2 * options.size();
  const std::string parent = options.contains("--parent") ? options["--parent"] : "0";
  const bool number = !parent.empty() && parent.size() < 10 &&
                      std::ranges::all_of(parent, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  const std::size_t files = options.count("--request") + options.count("--result");
  if (!run || !number || files != 2 || options.size() != files + options.count("--parent")) return std::nullopt;
  return options;
}

int run(const std::vector<std::string>& words, const std::function<std::string()>& describe, const Measure& measure) {
  if (words == std::vector<std::string>{"describe"}) {
    platform::print(describe() + '\n');
    return EXIT_SUCCESS;
  }
  if (words == std::vector<std::string>{"--help"} || words == std::vector<std::string>{"-h"}) {
    platform::print(kUsage);
    return EXIT_SUCCESS;
  }
  const auto options = options_of(words);
  if (!options) {
    platform::print_error(kUsage);
    return 2;
  }
  const auto parent = options->find("--parent");
  return run_files(options->at("--request"), options->at("--result"),
                   parent == options->end() ? std::nullopt : std::optional(std::stoi(parent->second)), measure);
}

int status_of_failure() {
  const Failure failure = failure_in_hand();
  platform::print_error(std::string(failure.what()) + '\n');
  return exit_status_of(failure.code());
}

}  // namespace

int run_files(const std::string& request_file, const std::string& result_file, std::optional<int> parent,
              const Measure& measure) {
  platform::die_with_parent(parent);
  platform::allow_many_files();
  try {
    return write_result(result_file, measure(read_request(request_file))) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (...) {
    write_result(result_file, contract::to_json(failure_in_hand()));
    return status_of_failure();
  }
}

void run_program(const std::vector<std::string>& words, const std::function<std::string()>& describe,
                 const Measure& measure) {
  int status = EXIT_FAILURE;
  try {
    status = run(words, describe, measure);
  } catch (...) {
    status = status_of_failure();
  }
  std::_Exit(status);
}

}  // namespace threadping

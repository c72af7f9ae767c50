#include "program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "contract/result.hpp"
#include "failure.hpp"
#include "platform/threads.hpp"

namespace threadping {
namespace {

constexpr const char* kUsage =
    "describe | run --request FILE --result FILE [--parent PID]\n"
    "A probe of threadping: says what it can measure, or measures one trial. See contract/README.md.\n";

std::string read_whole(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file))
    throw Failure(ErrorCode::bad_request, "The request file '" + file.string() + "' cannot be read.");
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whole or not at all: a reader never finds half a result.
bool write_whole(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path draft = file.string() + ".part";
  std::ofstream stream(draft, std::ios::binary);
  stream << text << '\n' << std::flush;
  stream.close();
  std::error_code refused;
  if (stream) std::filesystem::rename(draft, file, refused);
  if (stream && !refused) return true;
  std::filesystem::remove(draft, refused);
  std::cerr << "The result file '" << file.string() << "' cannot be written.\n";
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
    std::cout << describe() << '\n' << std::flush;
    return EXIT_SUCCESS;
  }
  if (words == std::vector<std::string>{"--help"} || words == std::vector<std::string>{"-h"}) {
    std::cout << kUsage << std::flush;
    return EXIT_SUCCESS;
  }
  const auto options = options_of(words);
  if (!options) {
    std::cerr << kUsage;
    return 2;
  }
  const auto parent = options->find("--parent");
  return run_files(options->at("--request"), options->at("--result"),
                   parent == options->end() ? std::nullopt : std::optional(std::stoi(parent->second)), measure);
}

int status_of_failure() {
  const Failure failure = failure_in_hand();
  std::cerr << failure.what() << '\n';
  return exit_status_of(failure.code());
}

}  // namespace

int run_files(const std::filesystem::path& request_file, const std::filesystem::path& result_file,
              std::optional<int> parent, const Measure& measure) {
  platform::die_with_parent(parent);
  platform::allow_many_files();
  try {
    return write_whole(result_file, measure(read_whole(request_file))) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (...) {
    write_whole(result_file, contract::to_json(failure_in_hand()));
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

#include "program.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "contract/result.hpp"
#include "failure.hpp"
#include "platform/text_files.hpp"
#include "platform/threads.hpp"

namespace threadping {
namespace {

std::string usage_of(const std::vector<Command>& commands) {
  std::string usage =
      "A probe of threadping: says what it can measure, or measures one trial. See contract/README.md.\n";
  for (const Command& command : commands) {
    usage += "  " + std::string(command.name);
    for (const std::string& name : command.needed) usage += " " + name + " VALUE";
    for (const std::string& name : command.optional) usage += " [" + name + " VALUE]";
    usage += '\n';
  }
  return usage;
}

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

int status_of_failure() {
  const Failure failure = failure_in_hand();
  platform::print_error(std::string(failure.what()) + '\n');
  return exit_status_of(failure.code());
}

int run_files(const Options& options, const Measure& measure) {
  const std::string& result = options.text("--result");
  platform::die_with_parent(options.number("--parent"));
  platform::allow_many_files();
  try {
    return write_result(result, measure(read_request(options.text("--request")))) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (...) {
    write_result(result, contract::to_json(failure_in_hand()));
    return status_of_failure();
  }
}

/// The options of such a command; nullopt where the words are another one's, or no command's.
std::optional<Options> options_of(const Command& command, const std::vector<std::string>& words) {
  if (words.empty() || words.front() != command.name || words.size() % 2 == 0) return std::nullopt;
  std::map<std::string, std::string> given;
  for (std::size_t word = 1; word < words.size(); word += 2) {
    const std::string& name = words[word];
    const bool known = std::ranges::count(command.needed, name) + std::ranges::count(command.optional, name) > 0;
    if (!known || !given.emplace(name, words[word + 1]).second) return std::nullopt;
  }
  if (!std::ranges::all_of(command.needed, [&](const std::string& name) { return given.contains(name); }))
    return std::nullopt;
  return Options(std::move(given));
}

int run(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  for (const Command& command : commands)
    if (const auto options = options_of(command, words)) return command.act(*options);
  const bool asked = words.size() == 1 && (words.front() == "--help" || words.front() == "-h");
  (asked ? platform::print : platform::print_error)(usage_of(commands));
  return asked ? EXIT_SUCCESS : 2;
}

}  // namespace

std::optional<int> Options::number(const std::string& name, int least, int most) const {
  if (!has(name)) return std::nullopt;
  const std::string& value = text(name);
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
    throw Failure(ErrorCode::bad_request, "The value of " + name + " must be a whole number from " +
                                              std::to_string(least) + " to " + std::to_string(most) + ", not '" +
                                              value + "'.");
  return number;
}

std::vector<Command> commands_of(const std::function<std::string()>& describe, const Measure& measure) {
  return {{.name = "describe",
           .needed = {},
           .optional = {},
           .act =
               [=](const Options&) {
                 platform::print(describe() + '\n');
                 return EXIT_SUCCESS;
               }},
          {.name = "run",
           .needed = {"--request", "--result"},
           .optional = {"--parent"},
           .act = [=](const Options& options) { return run_files(options, measure); }}};
}

void run_program(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  int status = EXIT_FAILURE;
  try {
    status = run(words, commands);
  } catch (...) {
    status = status_of_failure();
  }
  std::_Exit(status);
}

}  // namespace threadping

#include "support/process.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace threadping::tests {
namespace {

/// A file that exists only while it is open.
class Scratch {
 public:
  Scratch() : descriptor_(memfd_create("scratch", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("no scratch file can be made");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = pread(descriptor_, part.data(), part.size(), static_cast<off_t>(all.size()))) > 0;)
      all.append(part.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  int descriptor_;
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

pid_t start_probe(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, int output,
                  int errors) {
  std::vector<std::string> words{THREADPING_PROBE};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (errors >= 0) posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t pid = 0;
  const int refused =
      posix_spawn(&pid, THREADPING_PROBE, &actions, nullptr, pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) throw std::runtime_error("the probe " THREADPING_PROBE " cannot be started");
  return pid;
}

Ended run_probe(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  const Scratch output;
  const Scratch errors;
  const pid_t pid = start_probe(arguments, environment, output.descriptor(), errors.descriptor());
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("the probe cannot be waited for");
  return {.status = status_of(status), .output = output.text(), .errors = errors.text()};
}

int status_of(int wait_status) {
  constexpr int kKilled = 128;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : kKilled + WTERMSIG(wait_status);
}

}  // namespace threadping::tests

#include "support/process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace threadping::tests {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string text_of(const File& file) {
  std::fseek(file.get(), 0, SEEK_SET);
  std::string all;
  for (int byte = 0; (byte = std::fgetc(file.get())) != EOF;) all.push_back(static_cast<char>(byte));
  return all;
}

}  // namespace

pid_t start_probe(std::vector<std::string> arguments, std::vector<std::string> environment, int output, int errors) {
  arguments.insert(arguments.begin(), THREADPING_PROBE);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t probe = fork();
  if (probe != 0) return probe;
  for (std::string& variable : environment) putenv(variable.data());
  if (output >= 0) dup2(output, STDOUT_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  execv(THREADPING_PROBE, words.data());
  _exit(127);
}

Ended run_probe(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  const File output(std::tmpfile(), std::fclose);
  const File errors(std::tmpfile(), std::fclose);
  int status = 0;
  const pid_t probe = start_probe(arguments, environment, fileno(output.get()), fileno(errors.get()));
  if (waitpid(probe, &status, 0) != probe) throw std::runtime_error("the probe cannot be waited for");
  return {.status = status_of(status), .output = text_of(output), .errors = text_of(errors)};
}

int status_of(int wait_status) {
  constexpr int kKilled = 128;
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : kKilled + WTERMSIG(wait_status);
}

}  // namespace threadping::tests

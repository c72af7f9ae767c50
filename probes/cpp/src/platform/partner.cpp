#include "platform/partner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "failure.hpp"
#include "platform/parent.hpp"

namespace threadping::platform {

Partner::Partner(Sharing sharing, std::function<void()> run) {
  if (sharing == Sharing::threads) {
    try {
      thread_ = std::thread(std::move(run));
    } catch (const std::system_error& error) {
      throw Failure(ErrorCode::internal, std::string("No thread can be started: ") + error.what() + ".");
    }
    return;
  }
  const int parent = getpid();
  process_ = fork();
  if (process_ < 0)
    throw Failure(ErrorCode::internal, std::string("No process can be started: ") + std::strerror(errno) + ".");
  if (process_ > 0) return;
  die_with_parent(parent);
  run();
  _exit(EXIT_SUCCESS);
}

Partner::~Partner() {
  if (thread_.joinable()) thread_.join();
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

void Partner::abandon() {
  if (thread_.joinable()) thread_.detach();
  if (process_ > 0) kill(process_, SIGKILL);
}

std::optional<std::string> Partner::died() {
  int status = 0;
  if (process_ <= 0 || waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = 0;
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace threadping::platform

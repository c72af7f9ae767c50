#include "platform/threads.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

#include "numbers.hpp"

namespace threadping::platform {

void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void die_with_parent(std::optional<int> expected_parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (expected_parent && getppid() != *expected_parent) _exit(EXIT_FAILURE);
}

Failure too_few_threads(std::size_t started, std::size_t wanted) {
  const std::string so_many =
      "Only " + with_commas(started) + " of " + with_commas(wanted) + " threads could be started";
  try {
    throw;
  } catch (const std::system_error& error) {
    return {ErrorCode::unsupported,
            so_many + " (" + error.code().message() +
                "). The limits are the cgroup's pids.max, ulimit -u and kernel.threads-max, and those on memory, which "
                "each takes: ask for fewer threads."};
  } catch (...) {
    const Failure why = failure_in_hand();
    return {why.code(), so_many + ". " + why.what()};
  }
}

Threads::Join Threads::start_thread(const std::function<void()>& run) {
  const auto give_up = [](std::thread* thread) {
    if (thread->joinable()) thread->detach();
    delete thread;
  };
  const std::shared_ptr<std::thread> thread(new std::thread(run), give_up);
  return [thread] { thread->join(); };
}

void Threads::start(Sharing sharing, const std::function<void()>& run, const Start& start) {
  // One that has started is waited for: its place is there before.
  if (sharing == Sharing::threads) {
    threads_.emplace_back();
    try {
      threads_.back() = start(run);
    } catch (...) {
      threads_.pop_back();
      throw;
    }
    return;
  }
  processes_.reserve(processes_.size() + 1);
  const int parent = getpid();
  const int process = fork();
  if (process < 0) throw std::system_error(errno, std::generic_category());
  if (process > 0) {
    processes_.push_back(process);
    return;
  }
  die_with_parent(parent);
  run();
  _exit(EXIT_SUCCESS);
}

void Threads::when_a_process_ends(const std::function<void()>& tell) {
  for (const int process : processes_)
    start(Sharing::threads, [process, tell] {
      siginfo_t how{};
      while (waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
      }
      tell();
    });
}

void Threads::join() {
  for (const Join& join : threads_) join();
  for (const int process : processes_) waitpid(process, nullptr, 0);
  threads_.clear();
  processes_.clear();
}

void Threads::kill_processes() {
  for (const int process : processes_) kill(process, SIGKILL);
}

void Threads::abandon() {
  kill_processes();
  threads_.clear();
}

std::optional<std::string> Threads::died() {
  for (const int process : processes_) {
    siginfo_t how{};
    if (waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid != process)
      continue;
    if (how.si_code == CLD_EXITED && how.si_status == EXIT_SUCCESS) continue;
    return (how.si_code == CLD_EXITED ? "exit status " : "signal ") + std::to_string(how.si_status);
  }
  return std::nullopt;
}

}  // namespace threadping::platform

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "platform/memory.hpp"

namespace threadping::platform {

/// Makes the kernel kill this process when the one that started it ends. `expected_parent` closes the gap before the
/// call: if that process is no longer our parent, it has already ended, and so do we.
void die_with_parent(std::optional<int> expected_parent);

/// Lets this process open as many files as it may at all: witnesses keep some open for each thread, and so do pipes.
/// Many systems allow 1,024 until a program asks, for the sake of those that use select(2).
void allow_many_files();

/// The failure that only some of the threads could be started, for the reason of the current exception, and what to do.
Failure too_few_threads(std::size_t started, std::size_t wanted);

/// The threads of a trial, and processes forked from this one, which end with it. The owner waits for all of them, or
/// gives all of them up.
class Threads {
 public:
  /// Waits for a thread's end. Who destroys it without having called it gives the thread up.
  using Join = std::function<void()>;

  /// Starts a thread; throws std::system_error where the system refuses.
  using Start = std::function<Join(const std::function<void()>& run)>;

  /// The usual way.
  static Join start_thread(const std::function<void()>& run);

  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }

  /// Starts one more. Processes must come before the first thread. Throws std::system_error where the system refuses.
  void start(Sharing sharing, const std::function<void()>& run, const Start& start = start_thread);

  /// Has this called, by another thread, when one of the processes ends, however it does: it can tell nobody itself.
  /// After the last process. Throws as start() does.
  void when_a_process_ends(const std::function<void()>& tell);

  /// Waits for the end of all.
  void join();

  /// Ends the processes, wherever they are.
  void kill_processes();

  /// Gives up waiting: kills the processes, and leaves the threads to themselves.
  void abandon();

  /// How a process ended that did not come to its end, in words.
  [[nodiscard]] std::optional<std::string> died();

 private:
  std::vector<Join> threads_;
  std::vector<int> processes_;
};

}  // namespace threadping::platform

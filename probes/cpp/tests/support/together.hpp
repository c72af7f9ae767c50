#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace threadping::tests {

/// Lets `threads` threads do the same at once, each by its number, and waits for all.
inline void together(std::size_t threads, const std::function<void(std::size_t)>& task) {
  std::vector<std::thread> all;
  all.reserve(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) all.emplace_back(task, thread);
  for (std::thread& thread : all) thread.join();
}

}  // namespace threadping::tests

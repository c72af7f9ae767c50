#pragma once

#include <cstdint>

namespace threadping::tests {

/// How often the calling thread has called operator new, which is replaced in all tests in order to count.
std::uint64_t allocations_of_this_thread();

/// And how many bytes it was given, whether or not it gave them back.
std::uint64_t bytes_of_this_thread();

}  // namespace threadping::tests

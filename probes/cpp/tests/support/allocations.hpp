#pragma once

#include <cstdint>

namespace threadping::tests {

/// How often the calling thread has called operator new, which is replaced in all tests in order to count.
std::uint64_t allocations_of_this_thread();

}  // namespace threadping::tests

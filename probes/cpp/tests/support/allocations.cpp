#include "support/allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t allocations = 0;
thread_local std::uint64_t bytes = 0;

// Neither is inlined: GCC would see memory of operator new given to free(), and warn.
[[gnu::noinline]] void* allocate(std::size_t size) {
  ++allocations;
  bytes += size;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { release(memory); }

namespace threadping::tests {

std::uint64_t allocations_of_this_thread() { return allocations; }

std::uint64_t bytes_of_this_thread() { return bytes; }

}  // namespace threadping::tests

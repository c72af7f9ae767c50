#include "platform/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "failure.hpp"

namespace threadping::platform {
namespace {

/// "7f2c80000000 default anon=256 dirty=256 N0=200 N1=56 kernelpagesize_kB=4"
std::set<int> nodes_in(const std::string& line) {
  std::set<int> nodes;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.size() > 2 && word[0] == 'N' && word.find('=') != std::string::npos)
      nodes.insert(std::stoi(word.substr(1)));
  return nodes;
}

}  // namespace

void refuse_excess(std::size_t bytes, std::string_view what, std::string_view remedy) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  if (bytes <= kMostBytes) return;
  throw Failure(ErrorCode::bad_request, "Of memory " + std::string(what) + " would take " +
                                            with_commas((bytes + kMebibyte - 1) / kMebibyte) + " MiB, and may take " +
                                            with_commas(kMostBytes / kMebibyte) + ": " + std::string(remedy) + ".");
}

Memory::Memory(std::size_t bytes, Sharing sharing) : bytes_(bytes) {
  const int sharing_flag = sharing == Sharing::threads ? MAP_PRIVATE : MAP_SHARED;
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing_flag | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw Failure(ErrorCode::internal,
                  "No memory for " + std::to_string(bytes / 1024) + " KiB of lines: " + std::strerror(errno) + ".");
  madvise(pages, bytes, MADV_NOHUGEPAGE);
  start_ = static_cast<std::byte*>(pages);
}

Memory::~Memory() { munmap(start_, bytes_); }

std::optional<std::vector<int>> nodes_of(const std::byte* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::string of_mapping;  // mappings come in ascending order, each with its first address only
  std::ifstream lines("/proc/self/numa_maps");
  for (std::string line; std::getline(lines, line) && std::stoull(line, nullptr, 16) <= wanted;) of_mapping = line;
  const std::set<int> nodes = nodes_in(of_mapping);
  if (nodes.empty()) return std::nullopt;
  return std::vector<int>(nodes.begin(), nodes.end());
}

}  // namespace threadping::platform

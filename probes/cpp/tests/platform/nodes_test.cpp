#include "platform/nodes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>

#include "platform/lines.hpp"
#include "platform/memory.hpp"

namespace threadping::platform {
namespace {

TEST(Nodes, AreThoseOfTheMappingThatHoldsTheAddress) {
  // shared, so that the kernel joins it with no other mapping
  const Memory memory(16 * kPage, Sharing::processes);
  EXPECT_EQ(nodes_of(memory.start()), std::nullopt) << "nobody has touched it yet";
  for (std::size_t page = 0; page < 16; ++page) memory.start()[page * kPage] = std::byte{1};
  const auto nodes = nodes_of(memory.start());
  EXPECT_EQ(nodes.has_value(), std::filesystem::exists("/proc/self/numa_maps"));
  if (!nodes) return;
  EXPECT_GE(nodes->size(), 1U);
  EXPECT_EQ(nodes_of(memory.start() + 5 * kPage + 8), nodes) << "in the midst of the mapping";
}

TEST(Nodes, OfNoMappingAreUnknown) { EXPECT_EQ(nodes_of(nullptr), std::nullopt); }

}  // namespace
}  // namespace threadping::platform

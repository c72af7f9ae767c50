#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "java.hpp"

// HotSpot's, where that is the virtual machine.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const char* gHotSpotVMStructs;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryArrayStride;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryTypeNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryFieldNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryAddressOffset;
}

namespace threadping::java {
namespace {

template <class Value>
Value read(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Where HotSpot's performance counters begin, by the table that it exports to debuggers (vmStructs.hpp).
const char* performance_counters() {
  if (&gHotSpotVMStructs == nullptr) return nullptr;
  for (const char* entry = gHotSpotVMStructs;; entry += gHotSpotVMStructEntryArrayStride) {
    const auto* type = read<const char*>(entry + gHotSpotVMStructEntryTypeNameOffset);
    if (type == nullptr) return nullptr;
    const auto* field = read<const char*>(entry + gHotSpotVMStructEntryFieldNameOffset);
    if (std::string_view(type) == "PerfMemory" && std::string_view(field) == "_start")
      return read<const char*>(read<const char*>(entry + gHotSpotVMStructEntryAddressOffset));
  }
}

/// Nanoseconds of compiling, and how often each collector stopped it.
struct JvmCounters {
  const char* compiled_ns = nullptr;
  std::vector<const char*> collections;

  JvmCounters() {
    const char* start = performance_counters();
    if (start == nullptr || read<std::uint32_t>(start) != 0xc0c0feca) return;  // perfMemory.hpp, in this byte order
    const char* entry = start + read<std::int32_t>(start + 24);
    for (auto left = read<std::int32_t>(start + 28); left > 0; --left, entry += read<std::int32_t>(entry)) {
      const std::string_view name(entry + read<std::int32_t>(entry + 4));
      const char* value = entry + read<std::int32_t>(entry + 16);
      if (name == "java.ci.totalTime") compiled_ns = value;
      if (name.starts_with("sun.gc.collector.") && name.ends_with(".invocations")) collections.push_back(value);
    }
  }
};

}  // namespace

bool read_hotspot(threadping_upkeep& so_far) {
  static const JvmCounters counters;
  if (counters.compiled_ns == nullptr || counters.collections.empty()) return false;
  so_far.compile_ms = read<std::uint64_t>(counters.compiled_ns) / 1'000'000;
  for (const char* each : counters.collections) so_far.collections += read<std::uint64_t>(each);
  return true;
}

}  // namespace threadping::java

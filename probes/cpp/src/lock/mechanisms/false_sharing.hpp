#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"
#include "lock/mechanisms/own_counters.hpp"

namespace threadping::lock {

/// A counter beside its neighbours.
struct BareSlot {
  std::atomic<std::uint64_t> value = 0;
};

/// As single-writer-release, but the counters stand side by side: eight threads share a line of 64 bytes although none
/// reads what another writes.
class FalseSharing : public OwnCounters<BareSlot> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr std::string_view kName = "false-sharing";
};

}  // namespace threadping::lock

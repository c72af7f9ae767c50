#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/barrier.hpp"

namespace threadping::barriers {

/// A barrier of all threads, the caller among them, passed twice a round: by those who are let go, and by those who
/// have done their part. meet(thread) returns when all have called it. The caller is thread 0.
template <class Barrier>
class ByMeeting {
 public:
  static constexpr bool kChooses = false;

  void release(std::uint64_t /*round*/, Wanted /*wanted*/) { barrier().meet(0); }
  void await(std::size_t member, std::uint64_t /*round*/) { barrier().meet(member + 1); }
  void arrive(std::size_t member, std::uint64_t /*round*/) { barrier().meet(member + 1); }
  void gather(std::uint64_t /*round*/) { barrier().meet(0); }

 private:
  friend Barrier;
  ByMeeting() = default;
  Barrier& barrier() { return static_cast<Barrier&>(*this); }
};

}  // namespace threadping::barriers

#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/barrier.hpp"

namespace threadping::barriers {

/// A barrier of all threads, the coordinator among them, passed twice a round: by those who are released, and by those
/// who have done their part. meet(thread) returns when all have called it. The coordinator is thread 0.
template <class Barrier>
class ByMeeting {
 public:
  static constexpr bool kChooses = false;

  void release(std::uint64_t /*round*/, Wanted /*wanted*/) { barrier().meet(0); }
  void await(std::size_t worker, std::uint64_t /*round*/) { barrier().meet(worker + 1); }
  void arrive(std::size_t worker, std::uint64_t /*round*/) { barrier().meet(worker + 1); }
  void join(std::uint64_t /*round*/) { barrier().meet(0); }

 private:
  friend Barrier;
  ByMeeting() = default;
  Barrier& barrier() { return static_cast<Barrier&>(*this); }
};

}  // namespace threadping::barriers

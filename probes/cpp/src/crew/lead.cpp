#include "crew/lead.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "platform/clock.hpp"

namespace threadping::crew {

Lead::Lead(const Scene& scene) : scene_(scene), route_(scene.request.lines) {
  std::iota(route_.begin(), route_.end(), 0U);
  std::ranges::shuffle(route_, std::mt19937_64(scene.request.seed));
}

bool Lead::give(const Order& order) {
  if (!await([&](const Board& board) { return board.obeyed.load(std::memory_order_acquire) >= number_; })) return false;
  ++number_;
  scene_.common.orders.give(order);
  return true;
}

bool Lead::order(const Order& order) {
  return give(order) &&
         await([&](const Board& board) { return board.obeyed.load(std::memory_order_acquire) >= number_; });
}

void Lead::insist(Order::Kind kind) {
  const auto all = [&](const std::atomic<std::uint64_t> Board::* what) {
    while (!std::ranges::all_of(
        followers(), [&](const Board& board) { return (board.*what).load(std::memory_order_acquire) >= number_; }))
      idle();
  };
  all(&Board::obeyed);
  ++number_;
  scene_.common.orders.give({.kind = kind});
  all(&Board::finished);
}

bool Lead::goes_on() const {
  return platform::now_ns() < scene_.deadline_ns &&
         std::ranges::none_of(scene_.boards, [](const Board& board) { return board.failed.load(); });
}

platform::CpuSet Lead::cpus() const {
  platform::CpuSet all;
  for (const Board& board : scene_.boards) all = platform::united(all, board.cpus_start.cpus());
  return all;
}

template <class Done>
bool Lead::await(Done done) const {
  while (!std::ranges::all_of(followers(), done)) {
    if (!goes_on()) return false;
    idle();
  }
  return true;
}

}  // namespace threadping::crew

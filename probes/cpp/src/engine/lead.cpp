#include "engine/lead.hpp"

#include <numeric>
#include <random>

#include "platform/clock.hpp"
#include "platform/counters.hpp"

namespace threadping::engine {

Lead::Lead(Scene& scene, Member* self) : scene_(scene), self_(self), route_(scene.request.lines) {
  std::iota(route_.begin(), route_.end(), 0U);
  std::ranges::shuffle(route_, std::mt19937_64(scene.request.seed));
}

bool Lead::run() {
  if (!order({.kind = Order::Kind::rest})) return false;
  for (const Board& board : scene_.boards) cpus_ = platform::united(cpus_, board.cpus_start.cpus());
  contract::Result& result = scene_.result;
  const std::uint64_t start = platform::now_ns();
  const bool warm = warm_up();
  result.warmup_ns = platform::now_ns() - start;
  result.warmup_ops = ops();
  result.warmup_complete = result.warmup_ops >= request().warmup.rounds * request().warmup.ops;
  if (warm) return measure();
  // Nobody may miss an order that others obey, or these would wait for whoever did: a producer for its consumer, say.
  // A lead that is a member itself obeys no more either.
  if (self_ == nullptr)
    while (!all(&Board::obeyed)) idle();
  return false;
}

/// Makes visits for as long as the request wants, and counts what happens meanwhile.
bool Lead::measure() {
  contract::Result& result = scene_.result;
  insist(Order::Kind::prepare);
  const auto machine_before = platform::read_machine_counters(cpus_);
  scene_.loops->begin();
  insist(Order::Kind::begin);
  const std::uint64_t start = platform::now_ns();
  bool complete = true;
  for (std::size_t step = 0;
       complete && platform::now_ns() - start < request().measure_ns && windows().ns.size() < kMostWindows; ++step)
    complete = visit(step);
  insist(Order::Kind::end);
  result.measured_ns = platform::now_ns() - start;
  result.measured_ops = ops() - result.warmup_ops;
  result.machine = platform::read_machine_counters(cpus_) - machine_before;
  insist(Order::Kind::finish);
  return complete;
}

bool Lead::give(const Order& order) {
  if (!goes_on() || !await_obedience()) return false;
  ++number_;
  scene_.orders->give(order);
  return true;
}

bool Lead::order(const Order& order) { return give(order) && await_obedience(); }

void Lead::insist(Order::Kind kind) {
  while (!all(&Board::obeyed)) idle();
  ++number_;
  scene_.orders->give({.kind = kind});
  if (self_ != nullptr) self_->count(kind);
  while (!all(&Board::finished)) idle();
}

bool Lead::goes_on() const {
  return platform::now_ns() < scene_.deadline_ns &&
         std::ranges::none_of(scene_.boards, [](const Board& board) { return board.failed.load(); });
}

bool Lead::await_obedience() const {
  while (!all(&Board::obeyed)) {
    if (!goes_on()) return false;
    idle();
  }
  return true;
}

bool Lead::all(const std::atomic<std::uint64_t> Board::* progress) const {
  return std::all_of(scene_.boards.begin() + (self_ == nullptr ? 0 : 1), scene_.boards.end(),
                     [&](const Board& board) { return (board.*progress).load(std::memory_order_acquire) >= number_; });
}

}  // namespace threadping::engine

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "engine/lead.hpp"
#include "engine/pace.hpp"
#include "platform/clock.hpp"

namespace threadping::engine {
namespace {

using contract::Windows;

class Outsider final : public Lead {
 public:
  explicit Outsider(Scene& scene) : Lead(scene) { windows().ops.resize(scene.boards.size()); }

 private:
  /// The time, and the operations of each member until then.
  struct Look {
    std::uint64_t ns;
    std::vector<std::uint64_t> ops;
    [[nodiscard]] std::uint64_t sum() const { return std::reduce(ops.begin(), ops.end()); }
  };

  void idle() const override { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

  [[nodiscard]] std::uint64_t ops() const override { return look().sum(); }
  bool warm_up() override;
  bool visit(std::size_t step) override;

  void calibrate(std::uint64_t end_ns);
  bool open_window(Windows::Kind kind, std::uint32_t line, std::uint64_t ns);
  bool start_together(Windows::Kind kind, std::uint32_t line);
  void sleep_until(std::uint64_t ns) const;
  [[nodiscard]] Look look() const;
  [[nodiscard]] double pace(const Look& from, const Look& to) const;

  std::uint64_t chunk_ = 1;
};

/// The members together perform as many operations as the request wants, within its limit. Where operations take
/// another time afterwards, how long they take is found out anew.
bool Outsider::warm_up() {
  const contract::WarmupRequest& warmup = request().warmup;
  const std::uint64_t end = std::min(platform::now_ns() + warmup.limit_ns, scene_.deadline_ns);
  calibrate(end);
  if (start_together(Windows::Kind::plain, line_of(0)))
    while (ops() < warmup.rounds * warmup.ops && platform::now_ns() < end && goes_on()) idle();
  if (!order({.kind = Order::Kind::rest})) return false;
  if (!scene_.loops->warmed_up()) return true;
  chunk_ = 1;
  calibrate(platform::now_ns());
  return order({.kind = Order::Kind::rest});
}

/// Looks that tell how long an operation takes, for the chunk and for how often one is timed. At least one, and none
/// that begins after `end_ns`.
void Outsider::calibrate(std::uint64_t end_ns) {
  const auto paced = [&](Windows::Kind kind) {
    if (!start_together(kind, line_of(0))) return 0.0;
    const Look before = look();
    sleep_until(before.ns + request().warmup.look_ns);
    return pace(before, look());
  };
  const contract::WindowsRequest& wanted = request().windows;
  bool grows = true;
  while (grows) {
    const double operation_ns = paced(Windows::Kind::plain);
    const std::uint64_t chunk = next_chunk(operation_ns, chunk_, wanted.chunk_ns);
    grows = chunk > chunk_ && platform::now_ns() < end_ns;
    chunk_ = chunk;
    windows().every = sample_every(operation_ns, scene_.result.clock.cost_ns, wanted.clock_share);
  }
  paced(Windows::Kind::timed);
}

/// A plain and a timed window on one line; false if the bound has passed. The order of the two alternates, so that what
/// drifts falls on both alike.
bool Outsider::visit(std::size_t step) {
  const std::uint32_t line = line_of(step);
  const auto plain = [&] { return open_window(Windows::Kind::plain, line, request().windows.plain); };
  const auto timed = [&] { return open_window(Windows::Kind::timed, line, request().windows.timed); };
  return step % 2 == 1 ? timed() && plain() : plain() && timed();
}

/// A window of this length, or until the bound, which it then returns false for.
bool Outsider::open_window(Windows::Kind kind, std::uint32_t line, std::uint64_t ns) {
  if (!start_together(kind, line)) return false;
  const Look before = look();  // outside the gate, so that the window holds all that is recorded in it
  scene_.gate->open(platform::now_ns());
  sleep_until(before.ns + ns);
  scene_.gate->close(platform::now_ns());
  const Look after = look();
  chunk_ = next_chunk(pace(before, after), chunk_, request().windows.chunk_ns);
  windows().line.push_back(line);
  windows().kind.push_back(kind);
  windows().ns.push_back(after.ns - before.ns);
  for (std::size_t member = 0; member < after.ops.size(); ++member)
    windows().ops[member].push_back(after.ops[member] - before.ops[member]);
  return goes_on();
}

/// Lets all members come to rest and orders them to the line, where each of them then stands when this returns. One
/// that is starved of a lock would not look at its orders as long as the others go on: a spinning thread that shares
/// its CPU with the lock's holder can wait for seconds. False if the bound passed first.
bool Outsider::start_together(Windows::Kind kind, std::uint32_t line) {
  const auto what = kind == Windows::Kind::plain ? Order::Kind::work : Order::Kind::sample;
  return order({.kind = Order::Kind::rest}) &&
         order({.kind = what, .line = line, .chunk = chunk_, .every = windows().every});
}

void Outsider::sleep_until(std::uint64_t ns) const {
  const std::uint64_t now = platform::now_ns();
  const std::uint64_t end = std::min(ns, scene_.deadline_ns);
  if (end > now) std::this_thread::sleep_for(std::chrono::nanoseconds(end - now));
}

Outsider::Look Outsider::look() const {
  Look now{.ns = platform::now_ns(), .ops = std::vector<std::uint64_t>(scene_.boards.size())};
  std::ranges::transform(scene_.boards, now.ops.begin(),
                         [](const Board& board) { return board.ops.load(std::memory_order_relaxed); });
  return now;
}

double Outsider::pace(const Look& from, const Look& to) const {
  return ns_an_operation(to.ns - from.ns, to.sum() - from.sum(), running());
}

}  // namespace

std::unique_ptr<Lead> outsider(Scene& scene) { return std::make_unique<Outsider>(scene); }

}  // namespace threadping::engine

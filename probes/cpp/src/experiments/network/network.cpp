#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "experiments/all.hpp"
#include "experiments/network/client.hpp"
#include "experiments/network/server.hpp"
#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/pinning.hpp"
#include "platform/threads.hpp"

namespace threadping::network {
namespace {

constexpr std::array<std::string_view, 1> kRoundTrip{"round-trip"};
constexpr std::array<engine::NumberInfo, 1> kNumbers{{{.name = "far-end-cpu", .unit = "ns"}}};
constexpr std::array<engine::Role, 1> kRoles{{{.name = "ping", .counts = true, .numbers = kNumbers}}};
constexpr std::array<engine::ParamInfo, 1> kParams{
    {{.name = "message-bytes", .number = 64, .least = sizeof(Head), .most = kMostBytes}}};

/// The far end that $THREADPING_PEER names, `HOST PORT NONCE`; without a host where it does not.
Peer named_peer() {
  const char* text = std::getenv("THREADPING_PEER");
  if (text == nullptr) return {};
  std::istringstream words(text);
  Peer peer;
  if (words >> peer.host >> peer.port >> peer.nonce && words.eof()) return peer;
  return {};
}

/// A far end in a thread of this process, for as long as this lives.
class Loopback {
 public:
  /// Where the calling thread has one CPU, the far end has the others of this process.
  Loopback() : server_("127.0.0.1") {
    try {
      thread_ = std::thread([this, cpus = cpus_besides(platform::allowed_cpus())] { live(cpus); });
    } catch (const std::system_error&) {
      throw platform::too_few_threads(1, 2);
    }
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;
  ~Loopback() {
    stopped_ = true;
    thread_.join();
  }

  [[nodiscard]] const Peer& peer() const { return server_.peer(); }

 private:
  static platform::CpuSet cpus_besides(const platform::CpuSet& own) {
    platform::CpuMask mask;
    sched_getaffinity(getpid(), sizeof mask, mask.data());
    platform::CpuSet all = mask.cpus();
    if (own.size() == 1 && all.size() > 1) std::erase(all, own.front());
    return all;
  }

  void live(const platform::CpuSet& cpus) {
    try {
      platform::pin_this_thread(cpus);
    } catch (const Failure&) {  // NOLINT(bugprone-empty-catch): then it runs where its client does
    }
    server_.serve(UINT64_MAX, stopped_);
  }

  std::atomic<bool> stopped_{false};
  Server server_;
  std::thread thread_;
};

class NetworkStage final : public engine::Stage {
 public:
  NetworkStage(Way way, Peer peer, std::uint32_t bytes) : way_(way), peer_(std::move(peer)), bytes_(bytes) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override;
  [[nodiscard]] std::size_t role_of(std::size_t /*thread*/) const override { return 0; }

  void stop(std::size_t /*line*/) override { stopped_ = true; }
  [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override { return answered_; }

  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override {
    contract::Counts counts{{"round trips", {.made = ops[0], .found = answered_}}};
    if (way_.datagrams) counts["datagrams"] = {.made = sent_, .found = answered_, .exact = false};
    return counts;
  }
  [[nodiscard]] const std::byte* memory() const override { return reinterpret_cast<const std::byte*>(this); }

 private:
  friend class NetworkPlayer;

  const Way way_;
  const Peer peer_;  ///< Without a host for one of our own.
  const std::uint32_t bytes_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> answered_{0};
  std::atomic<std::uint64_t> sent_{0};
};

class NetworkPlayer final : public engine::Player {
 public:
  explicit NetworkPlayer(NetworkStage& stage)
      : stage_(stage),
        loopback_(stage.peer_.host.empty() ? std::make_unique<Loopback>() : nullptr),
        client_(loopback_ ? loopback_->peer() : stage.peer_, stage.way_, stage.bytes_, stage.stopped_) {}

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    const bool timed = task.every > 0;
    const auto timings = samples.places();
    const std::uint64_t count = timed ? std::min<std::uint64_t>(task.count, timings.size()) : task.count;
    std::uint64_t from_ns = task.opened_ns;
    std::uint64_t done = 0;
    for (; done < count && client_.round_trip(); ++done) {
      stage_.answered_.store(++answered_, std::memory_order_relaxed);
      if (!timed) continue;
      timings[done] = {.from_ns = from_ns, .to_ns = platform::now_ns()};
      from_ns = timings[done].to_ns;
    }
    if (timed) samples.filled(done);
    if (timed && done > 0) ask(samples);
    stage_.sent_ = client_.sent();
    return done;
  }

 private:
  /// The far end's CPU time for each round trip since it was asked before, at the end of a sampling window: in other
  /// windows nothing but round trips has a place.
  void ask(engine::Samples& samples) {
    const std::optional<std::uint32_t> now_us = client_.far_cpu_us();
    if (!now_us) return;
    samples.number(0, std::uint64_t{1000} * (*now_us - asked_us_) / (answered_ - asked_at_));
    asked_us_ = *now_us;
    asked_at_ = answered_;
  }

  NetworkStage& stage_;
  const std::unique_ptr<Loopback> loopback_;
  Client client_;
  std::uint64_t answered_ = 0;
  std::uint64_t asked_at_ = 0;
  std::uint32_t asked_us_ = 0;
};

std::unique_ptr<engine::Player> NetworkStage::player(std::size_t /*thread*/) {
  return std::make_unique<NetworkPlayer>(*this);
}

/// Over loopback the probe has its own far end; elsewhere somebody names one.
template <bool kDatagrams, bool kSpins, bool kLoopback>
engine::Mechanism mechanism(std::string_view name) {
  return {
      .name = name,
      .blocking = !kSpins,
      .timed = kRoundTrip,
      .lines = 1,
      .params = kParams,
      .needs = kLoopback || !named_peer().host.empty() ? "" : "a far end on another host, which $THREADPING_PEER names",
      .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
        return std::make_unique<NetworkStage>(Way{.datagrams = kDatagrams, .spins = kSpins},
                                              kLoopback ? Peer{} : named_peer(),
                                              static_cast<std::uint32_t>(setup.params.number("message-bytes")));
      }};
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment network{
      .name = "network",
      .roles = kRoles,
      .least_threads = 1,
      .most_threads = 1,
      .windows = contract::Unit::ops,
      .stalled = "No answer comes any more: the far end hangs, or the network does.",
      .mechanisms =
          {
              mechanism<false, false, true>("tcp-loopback"),
              mechanism<false, true, true>("tcp-loopback-spin"),
              mechanism<true, false, true>("udp-loopback"),
              mechanism<true, true, true>("udp-loopback-spin"),
              mechanism<false, false, false>("tcp"),
              mechanism<false, true, false>("tcp-spin"),
              mechanism<true, false, false>("udp"),
              mechanism<true, true, false>("udp-spin"),
          },
  };
  return network;
}

void serve(const std::string& host, std::uint64_t seconds) {
  Server server(host);
  std::cout << server.peer().port << ' ' << server.peer().nonce << '\n' << std::flush;
  const std::atomic<bool> stopped{false};
  server.serve(platform::now_ns() + seconds * 1'000'000'000, stopped);
}

}  // namespace threadping::network

#include <algorithm>

#include "api/probe.hpp"
#include "platform/clock.hpp"

namespace threadping::api {
namespace {

static_assert(sizeof(threadping_timing) == sizeof(engine::Timing));

threadping_samples* as_c(engine::Samples& samples) { return reinterpret_cast<threadping_samples*>(&samples); }
engine::Samples& as_cpp(threadping_samples* samples) { return *reinterpret_cast<engine::Samples*>(samples); }

/// A thread's part in a program's loops.
class LoopsPlayer final : public engine::Player {
 public:
  LoopsPlayer(const threadping_loops& loops, void* stage, std::size_t thread)
      : loops_(loops), part_(loops.player == nullptr ? stage : asked([&](threadping_failure* why) {
          return loops.player(stage, static_cast<std::uint32_t>(thread), why);
        })) {}
  LoopsPlayer(const LoopsPlayer&) = delete;
  LoopsPlayer& operator=(const LoopsPlayer&) = delete;
  ~LoopsPlayer() override {
    if (loops_.player != nullptr && loops_.free_player != nullptr) loops_.free_player(part_);
  }

  std::uint64_t run(const engine::Task& task, engine::Samples& samples) override {
    const threadping_task handed{
        .line = task.line, .every = task.every, .count = task.count, .opened_ns = task.opened_ns};
    return asked([&](threadping_failure* why) { return loops_.run(part_, &handed, as_c(samples), why); });
  }

  std::uint64_t leave(engine::Samples& samples) override {
    if (loops_.leave == nullptr) return 0;
    return asked([&](threadping_failure* why) { return loops_.leave(part_, as_c(samples), why); });
  }

 private:
  const threadping_loops& loops_;
  void* part_;
};

class LoopsStage final : public OwnStage {
 public:
  LoopsStage(const threadping_loops& loops, const engine::Setup& setup, const engine::Mechanism& mechanism,
             std::size_t roles)
      : OwnStage(*loops.stage, setup, mechanism, std::nullopt, roles), loops_(loops) {}

  std::unique_ptr<engine::Player> player(std::size_t thread) override {
    return std::make_unique<LoopsPlayer>(loops_, made(), thread);
  }

 private:
  const threadping_loops& loops_;
};

}  // namespace
}  // namespace threadping::api

void threadping_add_loops(threadping_probe* probe, const threadping_loops* loops) {
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    using threadping::api::needed;
    threadping::api::checked(threadping::api::checked(loops, "threadping_loops",
                                                      needed("description", &threadping_loops::description),
                                                      needed("run", &threadping_loops::run))
                                 .stage);
    threadping::engine::Experiment experiment = descriptions.experiment(loops->description);
    for (threadping::engine::Mechanism& mechanism : experiment.mechanisms)
      mechanism.make = [loops, mechanism, roles = experiment.roles.size()](const threadping::engine::Setup& setup) {
        return std::make_unique<threadping::api::LoopsStage>(*loops, setup, mechanism, roles);
      };
    probe->add(std::move(experiment));
  });
}

std::uint64_t threadping_now_ns(void) { return threadping::platform::now_ns(); }

void threadping_add(threadping_samples* samples, std::uint64_t from_ns, std::uint64_t to_ns) {
  threadping::api::as_cpp(samples).add(from_ns, to_ns);
}

threadping_timing* threadping_places(threadping_samples* samples, std::size_t* count) {
  const auto places = threadping::api::as_cpp(samples).places();
  *count = places.size();
  return reinterpret_cast<threadping_timing*>(places.data());
}

void threadping_filled(threadping_samples* samples, std::size_t count) {
  threadping::api::as_cpp(samples).filled(std::min(count, threadping::api::as_cpp(samples).places().size()));
}

void threadping_record(threadping_samples* samples, std::size_t index, std::uint64_t value) {
  threadping::api::as_cpp(samples).number(index, value);
}

void threadping_tally(threadping_samples* samples, std::size_t index, std::uint64_t made, std::uint64_t found) {
  if (index < threadping::engine::Samples::kMostTallies) threadping::api::as_cpp(samples).tally(index, made, found);
}

void threadping_progress(threadping_samples* samples, std::uint64_t done) {
  threadping::api::as_cpp(samples).progress(done);
}

void threadping_read_clock(threadping_samples* samples, std::uint64_t times) {
  threadping::api::as_cpp(samples).read_clock(times);
}

void threadping_about_to_time(threadping_samples* samples) { threadping::api::as_cpp(samples).about_to_time(); }

void threadping_others_wait(threadping_samples* samples, int wait) {
  threadping::api::as_cpp(samples).others_wait(wait != 0);
}

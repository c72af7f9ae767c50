// Workers in a runtime of their own: each a thread that polls its words, and calls its half here outside of what is
// timed.

#include <array>
#include <atomic>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "api/probe.hpp"
#include "engine/worker.hpp"
#include "platform/futex.hpp"
#include "platform/threads.hpp"

namespace threadping::api {
namespace {

static_assert(sizeof(threadping_number) == sizeof(engine::Number) && sizeof(void*) == sizeof(std::uint64_t));

class Workers;

/// A worker's words, and its half here.
struct Half : threadping_worker {
  engine::Worker& worker;
  Workers& workers;
};

const std::uint64_t* word(const std::atomic<std::uint64_t>& at) { return reinterpret_cast<const std::uint64_t*>(&at); }
std::uint64_t* word(std::atomic<std::uint64_t>& at) { return reinterpret_cast<std::uint64_t*>(&at); }

Half& half(threadping_worker* words) { return *static_cast<Half*>(words); }

/// Threads of a runtime's. Those apart are not the kernel's: a thread of ours leads the visits of the first of them.
class Workers final : public engine::Host {
 public:
  Workers(const threadping_workers& calls, std::size_t roles) : calls_(calls), roles_(roles) {
    const std::string_view names = calls.compilers == nullptr ? "" : calls.compilers;
    for (const auto name : std::views::split(names, ',')) compilers_.emplace_back(name.begin(), name.end());
  }

  std::unique_ptr<engine::Stage> stage(const contract::Request& request, const engine::Mechanism& mechanism) override {
    const engine::Params params(mechanism.name, mechanism.params, request.params);
    const std::size_t threads = request.cpus.size();
    const engine::Setup setup{.params = params,
                              .lines = request.lines,
                              .threads = threads,
                              .seed = request.seed,
                              .blocking = mechanism.blocking};
    apart_ = !mechanism.pinnable;
    try {
      auto made = std::make_unique<OwnStage>(*calls_.stage, setup, mechanism, request.home, roles_);
      stage_ = made->made();
      return made;
    } catch (const std::system_error&) {
      throw platform::too_few_threads(0, threads);
    }
  }

  /// Nothing may fail once its thread runs: the thread that waits for it is there before.
  platform::Threads::Join start(engine::Worker& worker) override {
    Half& half = *halves_.emplace_back(std::make_unique<Half>(Half{words_of(worker), worker, *this}));
    const platform::Threads::Join join = [this, thread = static_cast<std::uint32_t>(worker.index())] {
      calls_.join(stage_, thread);
    };
    asked([&](threadping_failure* why) { calls_.start(stage_, &half, why); });
    return join;
  }

  engine::Visited visit(engine::Worker& /*worker*/, std::uint32_t line, const engine::Visit& visit) override {
    threadping_worker& words = *first_;
    words.line = line;
    words.lead_in = visit.lead_in;
    words.throughput = visit.throughput;
    words.sampling = visit.sampling;
    words.whole = visit.whole ? 1 : 0;
    words.throughput_ns = words.throughput_done = words.sampling_ns = words.sampling_done = 0;
    if (apart_) {
      const std::uint32_t answered = answered_;
      ++asked_;
      while (answered_ == answered) platform::futex_wait(answered_, answered, platform::Sharing::threads);
    } else {
      calls_.visit(stage_, &words);
    }
    return {.throughput_ns = words.throughput_ns,
            .throughput = words.throughput_done,
            .sampling_ns = words.sampling_ns,
            .sampling = words.sampling_done};
  }

  [[nodiscard]] bool kernel_knows_threads() const override { return !apart_; }

  /// A worker apart changes its carrier at any time: what all carriers use together counts for the first worker.
  platform::ThreadCounters counters(std::size_t worker) override {
    if (!apart_) return platform::read_quick_counters();
    if (worker > 0 || calls_.carriers == nullptr) return {.migrations = 0};
    return platform::read_counters_of_all(calls_.carriers);
  }

  void tell_clock(contract::Result& result) override {
    Host::tell_clock(result);
    result.clock_name = calls_.clock;
    result.clock.cost_ns = asked([&](threadping_failure* why) { return calls_.clock_ns(stage_, why); });
  }

  [[nodiscard]] bool managed() const override { return true; }

  contract::Managed upkeep() override {
    const threadping_upkeep so_far = asked([&](threadping_failure* why) { return calls_.upkeep(stage_, why); });
    contract::Managed upkeep{
        .compile_ms = so_far.compile_ms, .collections = so_far.collections, .pauses = {}, .rested_ns = {}};
    if (so_far.compile_ms == UINT64_MAX) upkeep.compile_ms.reset();
    return upkeep;
  }

  std::optional<platform::Activity> compilers() override { return platform::read_activity_of(compilers_); }

  std::optional<std::vector<contract::Pause>> pauses() override {
    std::vector<contract::Pause> pauses;
    const int tells = asked([&](threadping_failure* why) {
      return calls_.pauses(stage_, reinterpret_cast<threadping_pauses*>(&pauses), why);
    });
    return tells == 0 ? std::nullopt : std::optional(std::move(pauses));
  }

  // --- what the first worker calls ---

  /// Has it lead, or a thread for it where it is apart. Whatever goes wrong, somebody leads, if only to order all the
  /// others to leave.
  void lead(Half& first) {
    first_ = &first;
    const auto lead = [this, &first] {
      first.worker.lead()();
      asked_ = kNoMore;
    };
    const std::size_t workers = first.worker.scene().boards.size();
    if (apart_)
      first.worker.board().attempt([&] {
        try {
          lead_ = std::thread(lead);
        } catch (const std::system_error&) {
          throw platform::too_few_threads(workers, workers + 1);
        }
      });
    if (!lead_.joinable()) lead();
  }

  [[nodiscard]] bool more_visits() const { return asked_ != kNoMore; }

  void made_visit() {
    ++answered_;
    platform::futex_wake(answered_, platform::Sharing::threads);
  }

  void end_lead() {
    if (lead_.joinable()) lead_.join();
  }

 private:
  threadping_worker words_of(engine::Worker& worker) {
    engine::Board& board = worker.board();
    const engine::Scene& scene = worker.scene();
    const auto timings = worker.recorder().places();
    threadping_worker words{};
    words.size = sizeof words;
    words.thread = worker.index();
    words.leads = worker.lead() ? 1 : 0;
    words.apart = apart_ ? 1 : 0;
    words.stream = scene.experiment.stream ? 1 : 0;
    words.crowded = worker.crowded() ? 1 : 0;
    words.order = word(scene.orders->number_word());
    words.operations = word(board.ops);
    words.readings = word(board.readings);
    words.finished = word(board.finished);
    words.asked = word(asked_);
    words.capacity = timings.size();
    words.timings = reinterpret_cast<threadping_timing*>(timings.data());
    words.numbers = reinterpret_cast<threadping_number*>(worker.recorder().number_places().data());
    return words;
  }

  static constexpr std::uint64_t kNoMore = UINT64_MAX;

  const threadping_workers& calls_;
  const std::size_t roles_;
  std::vector<std::string> compilers_;  ///< How the names of its compiling threads begin.
  void* stage_ = nullptr;
  bool apart_ = false;
  std::vector<std::unique_ptr<Half>> halves_;
  Half* first_ = nullptr;
  std::thread lead_;                        ///< For the first one, where it is apart.
  std::atomic<std::uint64_t> asked_{0};     ///< The number of the latest visit; kNoMore: there are no more.
  std::atomic<std::uint32_t> answered_{0};  ///< How many are made.
};

void tell_due(Half& half) { half.due_ns = half.worker.recorder().due_ns(); }

}  // namespace

std::unique_ptr<engine::Host> host_of(const threadping_workers& workers, std::size_t roles) {
  return std::make_unique<Workers>(workers, roles);
}

}  // namespace threadping::api

void threadping_add_workers(threadping_probe* probe, const threadping_workers* workers) {
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    using threadping::api::needed;
    threadping::api::checked(
        threadping::api::checked(
            workers, "threadping_workers", needed("description", &threadping_workers::description),
            needed("start", &threadping_workers::start), needed("join", &threadping_workers::join),
            needed("visit", &threadping_workers::visit), needed("clock", &threadping_workers::clock),
            needed("clock_ns", &threadping_workers::clock_ns), needed("upkeep", &threadping_workers::upkeep),
            needed("pauses", &threadping_workers::pauses))
            .stage);
    probe->add(descriptions.experiment(workers->description), workers);
  });
}

void threadping_pause(threadping_pauses* pauses, std::uint64_t at_ns, std::uint64_t ns, const char* name) {
  reinterpret_cast<std::vector<threadping::contract::Pause>*>(pauses)->push_back(
      {.at_ns = at_ns, .ns = ns, .name = name});
}

int threadping_set_up(threadping_worker* words) {
  threadping::api::Half& half = threadping::api::half(words);
  half.due_ns = UINT64_MAX;
  half.worker.board().attempt([&] { half.worker.set_up(); });
  return half.worker.board().trouble.failed ? -1 : 0;
}

void threadping_lead(threadping_worker* words) {
  threadping::api::half(words).workers.lead(threadping::api::half(words));
}

void threadping_await_order(threadping_worker* words, std::uint64_t number) {
  threadping::engine::Worker& worker = threadping::api::half(words).worker;
  worker.board().attempt([&] { worker.scene().orders->sleep(number); });
}

void threadping_take_up(threadping_worker* words, std::uint64_t number) {
  threadping::api::Half& half = threadping::api::half(words);
  half.worker.board().attempt([&] {
    const threadping::engine::Order order = half.worker.take_up(number);
    words->leave = order.leave ? 1 : 0;
    words->line = order.line;
    words->count = order.count;
    words->whole = order.whole ? 1 : 0;
    words->chunk = order.chunk > 0 ? threadping::engine::Worker::chunk_of(order).count : 0;
    words->every = order.every;
  });
  if (half.worker.board().trouble.failed) words->leave = 1;
  threadping::api::tell_due(half);
}

int threadping_take_visit(threadping_worker* words) {
  return threadping::api::half(words).workers.more_visits() ? 1 : 0;
}

void threadping_visited(threadping_worker* words) {
  threadping::api::half(words).worker.board().attempt([&] { threadping::api::half(words).workers.made_visit(); });
}

void threadping_look_before(threadping_worker* words) {
  threadping::api::Half& half = threadping::api::half(words);
  half.worker.board().attempt([&] { half.worker.recorder().about_to_time(); });
  threadping::api::tell_due(half);
}

void threadping_take(threadping_worker* words, std::size_t timings, std::size_t numbers, int may_look) {
  threadping::api::Half& half = threadping::api::half(words);
  threadping::engine::Recorder& recorder = half.worker.recorder();
  half.worker.board().attempt([&] {
    recorder.filled(std::min<std::size_t>(timings, recorder.places().size()));
    recorder.numbered(std::min(numbers, recorder.number_places().size()));
    for (std::size_t pair = 0; pair < std::size(words->made); ++pair) {
      recorder.tally(pair, words->made[pair], words->found[pair]);
      words->made[pair] = words->found[pair] = 0;
    }
    recorder.take(may_look != 0);
  });
  threadping::api::tell_due(half);
}

void threadping_worker_failed(threadping_worker* words, threadping_code code, const char* sentence) {
  threadping::api::half(words).worker.board().attempt([&] {
    threadping_failure why{.size = sizeof why, .code = THREADPING_OK, .sentence = {}};
    threadping_fail(&why, code, sentence);
    threadping::api::refuse(why);
  });
}

void threadping_end(threadping_worker* words) {
  threadping::api::Half& half = threadping::api::half(words);
  if (half.worker.index() == 0) half.workers.end_lead();
  half.worker.end();
}

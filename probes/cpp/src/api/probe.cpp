#include "api/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "contract/json.hpp"
#include "engine/trial.hpp"
#include "platform/memory.hpp"

namespace threadping::api {
namespace {

std::string json_of(const engine::Params& params) {
  contract::Json json{};
  for (const auto& [name, value] : params.values()) std::visit([&](const auto& is) { json.add(name, is); }, value);
  return json.text();
}

void tell(threadping_failure& into, const Failure& failure) {
  threadping_fail(&into, static_cast<threadping_code>(static_cast<int>(failure.code()) + 1), failure.what());
}

/// The text that this makes, for free(); null, and why, of what it throws.
template <class Make>
char* handed(threadping_failure* why, Make make) {
  try {
    char* text = strdup(std::string(make()).c_str());
    if (text == nullptr) throw std::bad_alloc();
    return text;
  } catch (...) {
    tell(*why, failure_in_hand());
    return nullptr;
  }
}

void refuse_what_is_wrong(const threadping_probe& probe) {
  if (probe.refused) throw Failure(*probe.refused);
}

std::string describe_added(const threadping_probe& probe) {
  refuse_what_is_wrong(probe);
  std::vector<const engine::Experiment*> all;
  all.reserve(probe.experiments.size());
  for (const Added& added : probe.experiments) all.push_back(&added.experiment);
  return describe(probe.identity, all);
}

std::string_view named(const Added& added) { return added.experiment.name; }

std::string measure(const threadping_probe& probe, std::string_view text) {
  refuse_what_is_wrong(probe);
  const contract::Request request = contract::parse_request(text);
  const Added& added = engine::asked_for(request, probe.experiments, named);
  if (added.workers == nullptr) return to_json(engine::run(request, added.experiment));
  auto host = host_of(*added.workers, added.experiment.roles.size());
  try {
    return to_json(engine::run(request, added.experiment, *host));
  } catch (const Unstoppable&) {
    static_cast<void>(host.release());  // NOLINT(bugprone-unused-return-value): its threads still use it
    throw;
  }
}

}  // namespace

OwnSetup::OwnSetup(const engine::Setup& setup, std::string mechanism, const std::optional<platform::CpuSet>& home)
    : mechanism_(std::move(mechanism)),
      text_(json_of(setup.params)),
      home_(home.value_or(platform::CpuSet{})),
      handed_{{.size = sizeof(threadping_setup),
               .mechanism = mechanism_.c_str(),
               .lines = static_cast<std::uint32_t>(setup.lines),
               .threads = static_cast<std::uint32_t>(setup.threads),
               .seed = setup.seed,
               .params = text_.c_str(),
               .home = home_.empty() ? nullptr : home_.data(),
               .homes = home_.size()},
              setup.params} {}

const engine::Params& OwnSetup::params(const threadping_setup* handed) {
  return static_cast<const Handed*>(handed)->params;
}

void refuse(const threadping_failure& why) {
  if (why.code == THREADPING_OK) return;
  if (why.code == THREADPING_NO_THREAD) throw std::system_error(EAGAIN, std::generic_category());
  throw Failure(why.code <= THREADPING_INTERNAL ? static_cast<ErrorCode>(why.code - 1) : ErrorCode::internal,
                why.sentence);
}

// --- the stage ---

OwnStage::OwnStage(const threadping_stage& calls, const engine::Setup& setup, const engine::Mechanism& mechanism,
                   const std::optional<platform::CpuSet>& home, std::size_t roles)
    : calls_(calls), setup_(setup, std::string(mechanism.name), home) {
  made_ = asked([&](threadping_failure* why) { return calls_.make(calls_.context, setup_.handed(), why); });
  for (std::uint32_t thread = 0; thread < setup.threads; ++thread) {
    roles_.push_back(calls_.role_of == nullptr ? thread % roles : calls_.role_of(made_, thread));
    if (roles_.back() >= roles)
      throw Failure(ErrorCode::internal, "Thread " + std::to_string(thread) + " has role " +
                                             std::to_string(roles_.back()) + " of " + std::to_string(roles) + ".");
  }
}

OwnStage::~OwnStage() {
  if (calls_.free != nullptr) calls_.free(made_);
}

bool OwnStage::compares_clocks(std::size_t one, std::size_t other) const {
  return calls_.compares_clocks != nullptr &&
         calls_.compares_clocks(made_, static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(other)) != 0;
}

void OwnStage::stop(std::size_t line) {
  asked([&](threadping_failure* why) { calls_.stop(made_, static_cast<std::uint32_t>(line), why); });
}

std::uint64_t OwnStage::progress(std::size_t line) const {
  if (calls_.progress == nullptr) return 0;
  return asked([&](threadping_failure* why) { return calls_.progress(made_, static_cast<std::uint32_t>(line), why); });
}

contract::Counts OwnStage::counts(std::span<const std::uint64_t> ops) const {
  contract::Counts counts;
  asked([&](threadping_failure* why) {
    calls_.count(made_, ops.data(), reinterpret_cast<threadping_counts*>(&counts), why);
  });
  return counts;
}

const std::byte* OwnStage::memory() const {
  return calls_.memory == nullptr ? nullptr : static_cast<const std::byte*>(calls_.memory(made_));
}

}  // namespace threadping::api

void threadping_probe::add(threadping::engine::Experiment experiment, const threadping_workers* workers) {
  const auto same = std::ranges::find(experiments, experiment.name, threadping::api::named);
  if (same == experiments.end()) {
    experiments.push_back({.experiment = std::move(experiment), .workers = workers});
    return;
  }
  auto& mechanisms = same->experiment.mechanisms;
  for (threadping::engine::Mechanism& mechanism : experiment.mechanisms) {
    const bool twice =
        std::ranges::find(mechanisms, mechanism.name, &threadping::engine::Mechanism::name) != mechanisms.end();
    if (twice || same->workers != workers)
      throw threadping::Failure(threadping::ErrorCode::bad_request,
                                std::string(mechanism.name) + " of " + std::string(experiment.name) +
                                    (twice ? " is added twice." : " is of other workers."));
    mechanisms.push_back(std::move(mechanism));
  }
}

bool threadping_probe::has(std::string_view experiment, std::string_view mechanism) const {
  return std::ranges::any_of(experiments, [&](const threadping::api::Added& added) {
    return added.experiment.name == experiment &&
           std::ranges::find(added.experiment.mechanisms, mechanism, &threadping::engine::Mechanism::name) !=
               added.experiment.mechanisms.end();
  });
}

void threadping_fail(threadping_failure* failure, threadping_code code, const char* sentence) {
  if (failure->code != THREADPING_OK) return;
  failure->code = code;
  const std::size_t length =
      std::string_view(sentence == nullptr ? "" : sentence).copy(failure->sentence, sizeof failure->sentence - 1);
  failure->sentence[length] = '\0';
}

threadping_probe* threadping_probe_new(std::uint32_t version, const char* identity) {
  auto* probe = new threadping_probe;
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    if (version != THREADPING_VERSION)
      throw threadping::Failure(
          threadping::ErrorCode::bad_request,
          "This program is of version " + std::to_string(version) + " of threadping.h and libthreadping of version " +
              std::to_string(THREADPING_VERSION) + ": compile it with the threadping.h that came with the library.");
    probe->identity = descriptions.identity(identity);
  });
  return probe;
}

void threadping_probe_free(threadping_probe* probe) { delete probe; }

char* threadping_describe(const threadping_probe* probe, threadping_failure* why) {
  return threadping::api::handed(why, [&] { return threadping::api::describe_added(*probe); });
}

char* threadping_experiment(const char* request, threadping_failure* why) {
  return threadping::api::handed(why, [&] { return threadping::contract::parse_request(request).experiment; });
}

char* threadping_run(const threadping_probe* probe, const char* request, threadping_failure* why) {
  return threadping::api::handed(why, [&] { return threadping::api::measure(*probe, request); });
}

std::int64_t threadping_param_number(const threadping_setup* setup, const char* name) {
  const threadping::engine::Params& params = threadping::api::OwnSetup::params(setup);
  return params.has(name) ? params.number(name) : 0;
}

const char* threadping_param_text(const threadping_setup* setup, const char* name) {
  const threadping::engine::Params& params = threadping::api::OwnSetup::params(setup);
  return params.has(name) ? params.text(name).data() : "";
}

void threadping_claim(std::size_t bytes, const char* what, const char* remedy, threadping_failure* why) {
  try {
    threadping::platform::claim(bytes, what, remedy);
  } catch (const threadping::Failure& failure) {
    threadping::api::tell(*why, failure);
  }
}

void threadping_count(threadping_counts* counts, const char* name, std::uint64_t made, std::uint64_t found,
                      int must_be_equal) {
  (*reinterpret_cast<threadping::contract::Counts*>(counts))[name] = {
      .made = made, .found = found, .exact = must_be_equal != 0};
}

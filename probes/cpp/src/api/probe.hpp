#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/needed.hpp"
#include "description.hpp"
#include "engine/experiment.hpp"
#include "engine/host.hpp"
#include "failure.hpp"
#include "threadping.h"

namespace threadping::contract {
class Field;  // whose header takes the compiler seconds, which most files here need not
}

/// The C API of threadping.h: what C hands over, as the engine's stages, players and hosts.
namespace threadping::api {

/// What descriptions say, whose texts the engine's are views of: kept as long as the probe.
class Descriptions {
 public:
  /// All of these throw Failure(bad_request) for what is no such description.
  Probe identity(const char* text);
  engine::Experiment experiment(const char* text);
  /// Without what it times: that is the experiment's to say.
  engine::Mechanism mechanism(const char* text);

  template <class Value>
  std::span<const Value> keep(std::vector<Value> values) {
    const auto kept = std::make_shared<std::vector<Value>>(std::move(values));
    kept_.push_back(kept);
    return *kept;
  }

 private:
  contract::Field parse(const char* text);
  std::span<const std::string_view> texts(const contract::Field& list);
  engine::ParamInfo param(contract::Field& from);
  engine::Role role(contract::Field& from);
  engine::Mechanism mechanism(contract::Field& from, bool says_what_it_times);

  std::vector<std::shared_ptr<void>> kept_;
};

/// An experiment, and whose threads perform it: the library's where there are no workers.
struct Added {
  engine::Experiment experiment;
  const threadping_workers* workers;
};

/// A trial's setup as C sees it. Its texts live in here.
class OwnSetup {
 public:
  OwnSetup(const engine::Setup& setup, std::string mechanism, const std::optional<platform::CpuSet>& home);
  OwnSetup(const OwnSetup&) = delete;
  OwnSetup& operator=(const OwnSetup&) = delete;
  ~OwnSetup() = default;

  [[nodiscard]] const threadping_setup* handed() const { return &handed_; }
  /// The parameters of what handed() gave.
  static const engine::Params& params(const threadping_setup* handed);

 private:
  struct Handed : threadping_setup {
    engine::Params params;
  };
  std::string mechanism_;
  std::string text_;
  platform::CpuSet home_;
  Handed handed_;
};

/// The stage of a threadping_stage.
class OwnStage : public engine::Stage {
 public:
  /// Throws Failure for what `make` says, and for a role that there is not.
  OwnStage(const threadping_stage& calls, const engine::Setup& setup, const engine::Mechanism& mechanism,
           const std::optional<platform::CpuSet>& home, std::size_t roles);
  OwnStage(const OwnStage&) = delete;
  OwnStage& operator=(const OwnStage&) = delete;
  ~OwnStage() override;

  std::unique_ptr<engine::Player> player(std::size_t /*thread*/) override { return nullptr; }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return roles_[thread]; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override;
  void stop(std::size_t line) override;
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override;
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override;
  [[nodiscard]] const std::byte* memory() const override;

  /// What `make` gave.
  [[nodiscard]] void* made() const { return made_; }

 private:
  const threadping_stage& calls_;
  const OwnSetup setup_;
  void* made_ = nullptr;
  std::vector<std::size_t> roles_;
};

/// The host whose threads are these workers.
std::unique_ptr<engine::Host> host_of(const threadping_workers& workers, std::size_t roles);

/// Throws what a callback has said; std::system_error for a thread that the system refused.
void refuse(const threadping_failure& why);

/// What a callback gives that is handed the place for its failure. Throws what it says there.
template <class Call>
auto asked(Call call) {
  threadping_failure why;
  why.size = sizeof why;
  why.code = THREADPING_OK;
  if constexpr (std::is_void_v<decltype(call(&why))>) {
    call(&why);
    refuse(why);
  } else {
    const auto given = call(&why);
    refuse(why);
    return given;
  }
}

/// Throws Failure(bad_request) where a struct of the program's has another size than here, or lacks what is needed.
template <class Struct, class... Pointers>
const Struct& checked(const Struct* given, const char* name, const Needed<Struct, Pointers>&... pointers) {
  const std::size_t size = given == nullptr ? 0 : static_cast<std::size_t>(given->size);
  if (size != sizeof(Struct))
    throw Failure(ErrorCode::bad_request, std::string("A struct ") + name + " has " + std::to_string(size) +
                                              " bytes for this program and " + std::to_string(sizeof(Struct)) +
                                              " for libthreadping: set its size, and compile with the threadping.h "
                                              "that came with the library.");
  if (const char* null = missing(*given, pointers...))
    throw Failure(ErrorCode::bad_request,
                  std::string("A struct ") + name + " has no " + null + ": threadping.h says what may be null.");
  return *given;
}

/// Throws as the other does.
inline const threadping_stage& checked(const threadping_stage* stage) {
  return checked(stage, "threadping_stage", needed("make", &threadping_stage::make),
                 needed("stop", &threadping_stage::stop), needed("count", &threadping_stage::count));
}

/// Does it, and keeps as the probe's what it throws first.
template <class Deed>
void add(threadping_probe& probe, Deed deed);

}  // namespace threadping::api

struct threadping_probe {
  threadping::Probe identity;
  threadping::api::Descriptions descriptions;
  std::deque<threadping::api::Added> experiments;
  std::optional<threadping::Failure> refused;  ///< What is wrong with it.

  /// One of an experiment that is there already has its mechanisms among those. Throws Failure(bad_request) where that
  /// is another program's half.
  void add(threadping::engine::Experiment experiment, const threadping_workers* workers = nullptr);

  /// Whether a mechanism of this name was added to this experiment.
  [[nodiscard]] bool has(std::string_view experiment, std::string_view mechanism) const;
};

template <class Deed>
void threadping::api::add(threadping_probe& probe, Deed deed) {
  if (probe.refused) return;
  try {
    deed(probe.descriptions);
  } catch (...) {
    probe.refused = failure_in_hand();
  }
}

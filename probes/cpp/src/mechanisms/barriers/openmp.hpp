#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/request.hpp"
#include "failure.hpp"
#include "mechanisms/barrier.hpp"

namespace threadping::barriers {

/// An OpenMP runtime, by the calls that GCC's code makes and LLVM's library has too. It is loaded by the trial that
/// measures it, with what that trial asks for in its environment: these libraries read that once. What the user's
/// environment says is left out, so that a trial is what its parameters say.
class OpenMp {
 public:
  static constexpr std::array<std::string_view, 2> kLibraries{"libgomp", "libomp"};
  static constexpr std::array<std::string_view, 3> kPolicies{"default", "active", "passive"};
  static constexpr std::int64_t kAsItIs = -1;

  /// Those of the libraries that can be loaded here; of both where none can.
  static std::vector<engine::ParamInfo> params() {
    static const std::vector<std::string_view> here = libraries(true);
    static const std::vector<std::string_view>& named = here.empty() ? libraries_named() : here;
    static const std::vector<std::pair<std::string_view, std::string_view>> elsewhere = lacking(named);
    std::vector<engine::ParamInfo> all{{.name = "library", .choices = named, .needs = elsewhere},
                                       {.name = "policy", .choices = kPolicies}};
    for (const std::string_view library : named) all.push_back(library == kLibraries[0] ? kSpins : kBlocktime);
    return all;
  }

  /// What this host lacks; empty where it has such a runtime.
  static std::string_view needs() {
    static const bool here = loads(kLibraries[0]) || loads(kLibraries[1]);
    return here ? "" : "an OpenMP runtime that can be loaded (libgomp.so.1 or libomp.so.5)";
  }

  OpenMp(const Shape& shape, const engine::Params& params)
      : threads_(shape.workers + 1), name_(params.text("library")) {
    prepare(params);
    void* const library = dlopen(file_of(name_), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw Failure(ErrorCode::unsupported,
                    "library=" + name_ + " needs " + file_of(name_) + ", which cannot be loaded here.");
    find(library, "GOMP_parallel", parallel_);
    find(library, "GOMP_barrier", barrier_);
    find(library, "omp_get_thread_num", thread_);
    find(library, "omp_get_num_threads", count_);
  }

  [[nodiscard]] std::size_t threads() const { return threads_; }

  /// Has the first `threads` threads call this, the calling one as number 0. Throws Failure(unsupported) where there
  /// were too few.
  template <class Body>
  void call(Body body, std::size_t threads) {
    const auto wanted = static_cast<unsigned>(threads);
    struct All {
      const OpenMp& library;
      Body& body;
      int threads = 0;
    } all{.library = *this, .body = body};
    parallel_(
        [](void* data) {
          All& all = *static_cast<All*>(data);
          const int thread = all.library.thread_();
          if (thread == 0) all.threads = all.library.count_();
          all.body(static_cast<std::size_t>(thread));
        },
        &all, wanted, 0);
    if (static_cast<unsigned>(all.threads) != wanted)
      throw Failure(ErrorCode::unsupported, name_ + " gave " + std::to_string(all.threads) + " of " +
                                                std::to_string(wanted) + " threads: does OMP_THREAD_LIMIT limit it?");
  }

  void barrier() const { barrier_(); }

  /// Whether this host has it.
  static bool loads(std::string_view library) {
    void* const found = dlopen(file_of(library), RTLD_LAZY | RTLD_LOCAL);
    if (found != nullptr) dlclose(found);
    return found != nullptr;
  }

 private:
  static constexpr engine::ParamInfo kSpins{.name = "gomp-spins",
                                            .number = kAsItIs,
                                            .least = kAsItIs,
                                            .most = 30'000'000'000,
                                            .only_with = {.param = "library", .value = "libgomp"}};
  static constexpr engine::ParamInfo kBlocktime{.name = "blocktime",
                                                .number = kAsItIs,
                                                .least = kAsItIs,
                                                .most = 1'000'000,
                                                .only_with = {.param = "library", .value = "libomp"}};

  static std::vector<std::string_view> libraries(bool loaded) {
    std::vector<std::string_view> found;
    for (const std::string_view library : kLibraries)
      if (!loaded || loads(library)) found.push_back(library);
    return found;
  }
  static const std::vector<std::string_view>& libraries_named() {
    static const std::vector<std::string_view> all = libraries(false);
    return all;
  }
  static std::vector<std::pair<std::string_view, std::string_view>> lacking(
      const std::vector<std::string_view>& named) {
    std::vector<std::pair<std::string_view, std::string_view>> found;
    for (const std::string_view library : kLibraries)
      if (std::ranges::find(named, library) == named.end()) found.emplace_back(library, file_of(library));
    return found;
  }

  static const char* file_of(std::string_view library) {
    return library == kLibraries[0] ? "libgomp.so.1" : "libomp.so.5";
  }

  static void prepare(const engine::Params& params) {
    for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_DYNAMIC", "OMP_NUM_THREADS",
                             "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "KMP_LIBRARY"})
      unsetenv(name);
    setenv("OMP_PROC_BIND", "false", 1);  // threads pin themselves
    if (const std::string policy(params.text("policy")); policy != kPolicies[0])
      setenv("OMP_WAIT_POLICY", policy.c_str(), 1);
    const auto set = [&](const char* name, std::string_view param) {
      if (!params.has(param)) return;
      if (const std::int64_t number = params.number(param); number != kAsItIs)
        setenv(name, std::to_string(number).c_str(), 1);
    };
    set("GOMP_SPINCOUNT", "gomp-spins");
    set("KMP_BLOCKTIME", "blocktime");
  }

  template <class Function>
  void find(void* library, const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) throw Failure(ErrorCode::unsupported, name_ + " has no " + name + ".");
  }

  const std::size_t threads_;
  const std::string name_;
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  void (*barrier_)() = nullptr;
  int (*thread_)() = nullptr;
  int (*count_)() = nullptr;
};

/// A region a round: what `#pragma omp parallel for` is, but for its work. With `then` the team's size alternates, so
/// that the library has to rebuild it: libgomp ends the threads that a smaller team lacks, and starts new ones for the
/// larger (GCC 12, libgomp/team.c, gomp_team_start).
class OpenMpParallel {
 public:
  static constexpr std::string_view kName = "openmp-parallel";
  static constexpr bool kBlocking = true;
  static std::vector<engine::ParamInfo> params() {
    std::vector<engine::ParamInfo> all = OpenMp::params();
    all.push_back({.name = "then", .most = contract::kMostThreads - 1});
    return all;
  }

  OpenMpParallel(const Shape& shape, const engine::Params& params) : library_(shape, params) {}

  template <class Body>
  void call(Body body) {
    library_.call(body, library_.threads());
  }
  template <class Body>
  void call(Body body, std::size_t threads) {
    library_.call(body, threads);
  }

 private:
  OpenMp library_;
};

/// One region, in which all meet at OpenMP's barrier twice a round. They also meet as it begins, so that no round holds
/// the way into it.
class OpenMpBarrier {
 public:
  static constexpr std::string_view kName = "openmp-barrier";
  static constexpr bool kBlocking = true;
  static constexpr bool kChooses = false;
  static std::vector<engine::ParamInfo> params() { return OpenMp::params(); }

  OpenMpBarrier(const Shape& shape, const engine::Params& params) : library_(shape, params) {}

  template <class Body>
  void call(Body body) {
    library_.call(
        [&](std::size_t thread) {
          library_.barrier();
          body(thread);
        },
        library_.threads());
  }

  void release(std::uint64_t /*round*/, Wanted /*wanted*/) const { library_.barrier(); }
  void await(std::size_t /*worker*/, std::uint64_t /*round*/) const { library_.barrier(); }
  void arrive(std::size_t /*worker*/, std::uint64_t /*round*/) const { library_.barrier(); }
  void join(std::uint64_t /*round*/) const { library_.barrier(); }

 private:
  OpenMp library_;
};

}  // namespace threadping::barriers

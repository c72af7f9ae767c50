// The C++ probe: request in, result out. It times nothing itself.

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "contract/topology.hpp"
#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "failure.hpp"
#include "platform/evidence.hpp"
#include "platform/pause.hpp"
#include "platform/pinning.hpp"
#include "platform/text_files.hpp"
#include "platform/threads.hpp"
#include "program.hpp"

namespace threadping {
namespace {

constexpr int kMostNice = 19;
constexpr int kDay = 86'400;  // seconds

std::string measure(std::string_view text) {
  const auto request = contract::parse_request(text);
  return to_json(engine::run(request, experiment_for(request)));
}

void await_end_of_input() {
  std::array<char, 256> ignored{};
  for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);)
    got = read(STDIN_FILENO, ignored.data(), ignored.size());
}

int describe_this_machine(const Options& /*options*/) {
  platform::print(contract::describe_topology() + '\n');
  return EXIT_SUCCESS;
}

/// The far end of network trials between hosts; writes its port and nonce.
int serve(const Options& options) {
  platform::die_with_parent(options.number("--parent"));
  network::serve(options.text("--host"), static_cast<std::uint64_t>(options.number("--seconds", 1, kDay).value_or(0)));
  return EXIT_SUCCESS;
}

/// Works until its standard input is closed, or its parent dies: a thread that competes for the CPUs; without a CPU
/// wherever the scheduler puts it.
int keep_busy(const Options& options) {
  const int nice = options.number("--nice", 0, kMostNice).value_or(0);
  platform::die_with_parent(std::nullopt);
  platform::pin_this_thread(options.number("--cpu"));
  if (setpriority(PRIO_PROCESS, 0, nice) != 0)
    throw Failure(ErrorCode::unsupported, "This process may not have a nice value of " + std::to_string(nice) + ".");
  std::thread([] {
    platform::Steps steps;
    for (;;) steps.take(1'000'000);
  }).detach();
  await_end_of_input();
  return EXIT_SUCCESS;
}

/// Keeps the kernel's trace points switched on until its standard input is closed. Closing the last user of one waits
/// until every CPU has noticed, some 40 ms for each: 190 ms a trial, which no trial waits while this one runs.
int keep_trace_points(const Options& /*options*/) {
  platform::die_with_parent(std::nullopt);
  const platform::TracePoints kept;
  await_end_of_input();
  return EXIT_SUCCESS;
}

std::vector<Command> commands() {
  std::vector<Command> all = commands_of([] { return describe_probe(experiments()); }, measure);
  all.push_back({.name = "topology", .needed = {}, .optional = {}, .act = describe_this_machine});
  all.push_back({.name = "hold", .needed = {}, .optional = {}, .act = keep_trace_points});
  all.push_back({.name = "busy", .needed = {}, .optional = {"--cpu", "--nice"}, .act = keep_busy});
  all.push_back({.name = "serve", .needed = {"--host", "--seconds"}, .optional = {"--parent"}, .act = serve});
  return all;
}

}  // namespace
}  // namespace threadping

int main(int argc, char** argv) { threadping::run_program({argv + 1, argv + argc}, threadping::commands()); }

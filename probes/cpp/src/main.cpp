// The C++ probe: request in, result out. It times nothing itself.

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "contract/request.hpp"
#include "contract/result.hpp"
#include "contract/topology.hpp"
#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "failure.hpp"
#include "platform/evidence.hpp"
#include "platform/pause.hpp"
#include "platform/pinning.hpp"
#include "platform/threads.hpp"
#include "program.hpp"

namespace threadping {
namespace {

std::string measure(std::string_view text) {
  const auto request = contract::parse_request(text);
  return to_json(engine::run(request, experiment_for(request)));
}

/// The far end of hops between hosts. Gives the exit status.
int serve(const std::string& host, std::uint64_t seconds, std::optional<int> parent) {
  platform::die_with_parent(parent);
  try {
    hop::serve(host, seconds);
  } catch (const Failure& failure) {
    std::cerr << failure.what() << '\n';
    return exit_status_of(failure.code());
  }
  return EXIT_SUCCESS;
}

void await_end_of_input() { std::cin.ignore(std::numeric_limits<std::streamsize>::max()); }

/// Works until its standard input is closed, or its parent dies: a thread that competes for the CPUs. Gives the exit
/// status.
int keep_busy(std::optional<int> cpu, int nice) {
  platform::die_with_parent(std::nullopt);
  try {
    platform::pin_this_thread(cpu);
    if (setpriority(PRIO_PROCESS, 0, nice) != 0)
      throw Failure(ErrorCode::unsupported, "This process may not have a nice value of " + std::to_string(nice) + ".");
  } catch (const Failure& failure) {
    std::cerr << failure.what() << '\n';
    return exit_status_of(failure.code());
  }
  std::thread([] {
    platform::Steps steps;
    for (;;) steps.take(1'000'000);
  }).detach();
  await_end_of_input();
  return EXIT_SUCCESS;
}

/// Keeps the kernel's trace points switched on. Closing the last user of one waits until every CPU has noticed,
/// some 40 ms for each: 190 ms a trial, which no trial waits while this one runs.
void keep_trace_points() {
  platform::die_with_parent(std::nullopt);
  const platform::TracePoints kept;
  await_end_of_input();
}

}  // namespace
}  // namespace threadping

int main(int argc, char** argv) {
  CLI::App app("threadping's C++ probe: measures one trial in one process. See contract/README.md.");
  app.require_subcommand(1);
  app.add_subcommand("describe", "Write what this probe can measure.")->callback([] {
    std::cout << threadping::describe_probe(threadping::experiments()) << '\n';
  });
  app.add_subcommand("topology", "Write this machine's CPUs and what they share.")->callback([] {
    std::cout << threadping::contract::describe_topology() << '\n';
  });

  app.add_subcommand("hold", "Keep the kernel's trace points switched on until standard input is closed.")
      ->callback(threadping::keep_trace_points);

  std::string request_file;
  std::string result_file;
  std::optional<int> parent;
  CLI::App* run_command = app.add_subcommand("run", "Measure one trial.");
  run_command->add_option("--request", request_file, "The request, a JSON file.")->required();
  run_command->add_option("--result", result_file, "Where to write the result.")->required();
  run_command->add_option("--parent", parent, "End at once unless this process is the parent.");

  std::optional<int> cpu;
  int nice = 0;
  CLI::App* busy_command = app.add_subcommand("busy", "Keep a CPU busy until standard input is closed.");
  busy_command->add_option("--cpu", cpu, "The CPU; without it wherever the scheduler puts it.");
  busy_command->add_option("--nice", nice, "The nice value, from 0 to 19.")->check(CLI::Range(0, 19));

  std::string host;
  std::uint64_t seconds = 0;
  CLI::App* serve_command =
      app.add_subcommand("serve", "Be the far end of hops from another host; write its port and nonce.");
  serve_command->add_option("--host", host, "The address to listen at.")->required();
  serve_command->add_option("--seconds", seconds, "For how long.")->required()->check(CLI::Range(1, 86400));
  serve_command->add_option("--parent", parent, "End at once unless this process is the parent.");

  try {
    app.parse(argc, argv);
    if (serve_command->parsed()) return threadping::serve(host, seconds, parent);
    if (busy_command->parsed()) std::_Exit(threadping::keep_busy(cpu, nice));
    if (!run_command->parsed()) return EXIT_SUCCESS;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
  // Without unwinding what a stalled mechanism's threads may still be using.
  std::_Exit(threadping::run_files(request_file, result_file, parent, threadping::measure));
}

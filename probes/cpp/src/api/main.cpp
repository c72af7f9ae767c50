// A program's whole main: who runs probes as a part of itself goes without.

#include <cstdlib>
#include <memory>
#include <string>

#include "api/probe.hpp"
#include "program.hpp"

namespace {

/// What one of threadping.h's calls gives. Throws what it says.
template <class Call>
std::string message(Call call) {
  char* text = threadping::api::asked(call);
  const std::unique_ptr<char, decltype(&free)> freed(text, free);
  return text;
}

}  // namespace

int threadping_main(threadping_probe* probe, int argc, char** argv) {
  const auto commands = threadping::commands_of(
      [=] { return message([&](threadping_failure* why) { return threadping_describe(probe, why); }); },
      [=](std::string_view request) {
        const std::string text(request);
        return message([&](threadping_failure* why) { return threadping_run(probe, text.c_str(), why); });
      });
  threadping::run_program({argv + 1, argv + argc}, commands);
}

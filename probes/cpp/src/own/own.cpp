#include "own/own.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <set>

#include "engine/trial.hpp"
#include "failure.hpp"
#include "own/watching.hpp"
#include "platform/text_files.hpp"
#include "program.hpp"

namespace threadping::own {
namespace {

Failure refusal(const std::string& sentence) { return {ErrorCode::bad_request, sentence}; }

std::string joined(const std::vector<std::string>& words, const std::string& last) {
  std::string all;
  for (std::size_t place = 0; place < words.size(); ++place) {
    if (place > 0) all += place + 1 == words.size() ? last : ", ";
    all += words[place];
  }
  return all;
}

std::set<std::string_view> kinds_met(const Candidate& candidate) {
  std::set<std::string_view> kinds;
  for (const Likeness& one : candidate.likenesses)
    if (one.met()) kinds.insert(one.kind);
  return kinds;
}

/// Compares operations, not constructors, which everything has.
std::ptrdiff_t likeness(const Likeness& one) {
  return std::ranges::count_if(one.operations.subspan(1), &Operation::had);
}

std::string nearest(const std::vector<Candidate>& candidates, const std::string& file) {
  const Candidate* who = nullptr;
  const Likeness* what = nullptr;
  for (const Candidate& candidate : candidates)
    for (const Likeness& one : candidate.likenesses)
      if (what == nullptr || likeness(one) > likeness(*what)) {
        who = &candidate;
        what = &one;
      }
  if (what == nullptr || likeness(*what) == 0)
    return "No class of '" + file +
           "' is a signal (publish, await, stop, peek), a lock (lock, unlock), a barrier (release, await, arrive, "
           "join, "
           "stop; or arrive_and_wait) or, as a template of its message, a queue (push, pop; or send, take, stop).";
  const std::string name(who->name);
  if (who->abstract)
    return "'" + name + "' of '" + file +
           "' is abstract: none can be made. Name the class that is to be measured: " + file + ":CLASS.";
  std::vector<std::string> missing;
  for (const Operation& operation : what->operations)
    if (!operation.had) missing.emplace_back(operation.written);
  return "'" + name + "' of '" + file + "' is most like a " + std::string(what->kind) + ", but lacks " +
         joined(missing, " and ") + ".";
}

/// The one that is to be measured. Throws Failure(bad_request).
const Candidate& chosen(const std::vector<Candidate>& candidates, const std::string& file) {
  std::vector<std::string> able;
  const Candidate* found = nullptr;
  for (const Candidate& candidate : candidates) {
    const auto kinds = kinds_met(candidate);
    if (kinds.size() > 1)
      throw refusal("'" + std::string(candidate.name) + "' of '" + file + "' is both a " +
                    joined({kinds.begin(), kinds.end()}, " and a ") + ". Leave the operations of one of them out.");
    if (kinds.empty()) continue;
    able.emplace_back(candidate.name);
    found = &candidate;
  }
  if (found == nullptr) throw refusal(nearest(candidates, file));
  if (able.size() > 1)
    throw refusal("'" + file + "' has several classes that can be measured, " + joined(able, " and ") +
                  ". Name one: " + file + ":" + able.front() + ".");
  return *found;
}

/// As `bare CPU CPU MILLISECONDS` asks: nanoseconds an operation.
void print_bare(const BareLoop& loop, const std::vector<std::string>& words) {
  std::array<int, 3> numbers{};
  for (std::size_t place = 0; place < numbers.size(); ++place) {
    const std::string& word = words[place + 1];
    const auto read = std::from_chars(word.data(), word.data() + word.size(), numbers[place]);
    if (read.ec != std::errc() || numbers[place] < 0)
      throw refusal("'" + word + "' is no number for the hand-written baseline.");
  }
  const auto [first, other, milliseconds] = numbers;
  guarded([&] {
    const auto target_ns = static_cast<std::uint64_t>(milliseconds) * 1'000'000;
    std::array<char, 32> line{};
    std::snprintf(line.data(), line.size(), "%g\n", ns_in_bare_loop(loop, {first, other}, target_ns));
    platform::print(line.data());
  });
}

}  // namespace

void run_own(const Header& header, std::string_view file, const Probe& probe, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string name = "own";
  if (words.size() > 1 && words[0] == "--name") {
    name = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  std::vector<engine::Experiment> experiments;
  const std::string summary = "Your own, of " + std::string(file);
  try {
    const Candidate& candidate = chosen(header.candidates(), std::string(file));
    if (words == std::vector<std::string>{"check"}) {
      candidate.check();
      std::_Exit(EXIT_SUCCESS);
    }
    if (words.size() == 4 && words[0] == "bare") {
      print_bare(candidate.bare, words);
      std::_Exit(EXIT_SUCCESS);
    }
    experiments = candidate.experiments;
  } catch (const Failure& failure) {
    platform::print_error(std::string(failure.what()) + '\n');
    std::_Exit(exit_status_of(failure.code()));
  }
  for (engine::Experiment& experiment : experiments)
    for (engine::Mechanism& mechanism : experiment.mechanisms) {
      mechanism.name = name;
      mechanism.words = {.summary = summary, .costs = "What it costs is what is measured"};
    }
  std::vector<const engine::Experiment*> all;
  std::ranges::transform(experiments, std::back_inserter(all), [](const auto& one) { return &one; });
  Probe described = probe;
  described.version = THREADPING_RELEASE;
  const auto measure = [&](std::string_view text) {
    const auto request = contract::parse_request(text);
    return to_json(engine::run(request, engine::asked_for(request, experiments)));
  };
  run_program(words, commands_of([&] { return describe(described, all); }, measure));
}

}  // namespace threadping::own

#include "message/request.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "failure.hpp"
#include "message/strict_object.hpp"

namespace threadping::message {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;  // limits as in contract/request.schema.json

std::map<std::string, Param> parse_params(const nlohmann::json& value) {
  std::map<std::string, Param> params;
  if (!value.is_object()) throw Failure(ErrorCode::bad_request, "The request's params must be an object.");
  for (const auto& [name, param] : value.items()) {
    if (param.is_number_integer())
      params[name] = integer_within(param, "params." + name, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max());
    else if (param.is_string())
      params[name] = param.get<std::string>();
    else
      throw Failure(ErrorCode::bad_request, "The request's params." + name + " must be a whole number or a text.");
  }
  return params;
}

std::vector<std::optional<int>> parse_threads(const nlohmann::json& value) {
  if (!value.is_array() || value.empty() || value.size() > kMostThreads)
    throw Failure(ErrorCode::bad_request,
                  "The request's threads must be a list of 1 to " + std::to_string(kMostThreads) + " threads.");
  std::vector<std::optional<int>> cpus;
  for (std::size_t index = 0; index < value.size(); ++index) {
    StrictObject thread(value[index], "threads." + std::to_string(index));
    const nlohmann::json& cpu = thread.at("cpu");
    if (cpu.is_null())
      cpus.emplace_back(std::nullopt);
    else
      cpus.emplace_back(static_cast<int>(integer_within(cpu, thread.path_of("cpu"), 0, 65535)));
    thread.refuse_the_rest();
  }
  return cpus;
}

Pin parse_pin(StrictObject& fields) {
  if (!fields.has("pin")) return Pin::thread;
  const std::string pin = fields.text("pin");
  if (pin != "thread" && pin != "process")
    throw Failure(ErrorCode::bad_request, "The request's pin must be 'thread' or 'process'.");
  return pin == "thread" ? Pin::thread : Pin::process;
}

WarmupRequest parse_warmup(const nlohmann::json& value) {
  StrictObject fields(value, "warmup");
  WarmupRequest warmup;
  warmup.rounds = static_cast<std::uint64_t>(fields.integer("rounds", 0, 1'000'000));
  warmup.ops = static_cast<std::uint64_t>(fields.integer("ops", 1, 1'000'000'000'000));
  warmup.limit_ns = static_cast<std::uint64_t>(fields.integer("limit_ns", 0, kHour));
  fields.refuse_the_rest();
  return warmup;
}

}  // namespace

platform::CpuSet cpus_named(const Request& request) {
  std::set<int> cpus;
  for (const auto& cpu : request.cpus)
    if (cpu) cpus.insert(*cpu);
  return {cpus.begin(), cpus.end()};
}

void refuse_half_a_pin(const Request& request) {
  const auto pinned = std::ranges::count_if(request.cpus, [](const auto& cpu) { return cpu.has_value(); });
  if (request.pin == Pin::process && pinned > 0 && pinned < std::ssize(request.cpus))
    throw Failure(ErrorCode::bad_request, "With pin 'process' either every thread has a CPU or none has.");
}

Request parse_request(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Failure(ErrorCode::bad_request, "The request is not JSON.");
  StrictObject fields(json, "");
  fields.integer("schema", kSchema, kSchema);
  Request request;
  request.experiment = fields.text("experiment");
  request.mechanism = fields.text("mechanism");
  request.params = parse_params(fields.at("params"));
  request.cpus = parse_threads(fields.at("threads"));
  request.pin = parse_pin(fields);
  request.lines = static_cast<std::uint32_t>(fields.integer("lines", 1, 65536));
  request.warmup = parse_warmup(fields.at("warmup"));
  request.measure_ns = static_cast<std::uint64_t>(fields.integer("measure_ns", 1'000'000, kHour));
  request.bound_ns = static_cast<std::uint64_t>(fields.integer("bound_ns", 1'000'000, 2 * kHour));
  request.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, (std::int64_t{1} << 53) - 1));
  fields.refuse_the_rest();
  return request;
}

}  // namespace threadping::message

#include "message/request.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "failure.hpp"
#include "message/strict_object.hpp"

namespace threadping::message {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;  // limits as in contract/request.schema.json
constexpr std::int64_t kHighestCpu = 65535;
constexpr std::int64_t kHighestSchema = 1'000'000;

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
      cpus.emplace_back(static_cast<int>(integer_within(cpu, thread.path_of("cpu"), 0, kHighestCpu)));
    thread.refuse_the_rest();
  }
  return cpus;
}

/// One of two words.
template <class Choice>
Choice parse_choice(StrictObject& fields, const std::string& name, const std::pair<const char*, Choice>& one,
                    const std::pair<const char*, Choice>& other) {
  const std::string text = fields.text(name);
  if (text == one.first) return one.second;
  if (text == other.first) return other.second;
  throw Failure(ErrorCode::bad_request,
                "The request's " + fields.path_of(name) + " must be '" + one.first + "' or '" + other.first + "'.");
}

std::optional<platform::CpuSet> parse_home(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_array() || value.empty())
    throw Failure(ErrorCode::bad_request, "The request's home must be a list of CPUs or null.");
  std::set<int> cpus;
  for (std::size_t index = 0; index < value.size(); ++index)
    cpus.insert(static_cast<int>(integer_within(value[index], "home." + std::to_string(index), 0, kHighestCpu)));
  return platform::CpuSet(cpus.begin(), cpus.end());
}

WarmupRequest parse_warmup(const nlohmann::json& value) {
  StrictObject fields(value, "warmup");
  WarmupRequest warmup;
  warmup.rounds = fields.count("rounds", 0, 1'000'000);
  warmup.ops = fields.count("ops", 1, 1'000'000'000'000);
  warmup.limit_ns = fields.count("limit_ns", 0, kHour);
  warmup.look_ns = fields.count("look_ns", 1, kHour);
  warmup.uninterrupted = fields.flag("uninterrupted");
  fields.refuse_the_rest();
  return warmup;
}

WindowsRequest parse_windows(const nlohmann::json& value) {
  StrictObject fields(value, "windows");
  WindowsRequest windows;
  windows.unit = parse_choice<Unit>(fields, "unit", {"ops", Unit::ops}, {"ns", Unit::ns});
  windows.plain = fields.count("plain", 1, kHour);
  windows.timed = fields.count("timed", 1, kHour);
  windows.visits = fields.count("visits", 1, 1000);
  windows.chunk_ns = fields.count("chunk_ns", 1, 1'000'000'000);
  windows.clock_share = fields.share("clock_share");
  fields.refuse_the_rest();
  return windows;
}

}  // namespace

platform::CpuSet cpus_named(const Request& request) {
  std::set<int> cpus;
  for (const auto& cpu : request.cpus)
    if (cpu) cpus.insert(*cpu);
  return {cpus.begin(), cpus.end()};
}

Request parse_request(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Failure(ErrorCode::bad_request, "The request is not JSON.");
  StrictObject fields(json, "");
  if (const std::int64_t schema = integer_within(fields.at("schema"), "schema", 1, kHighestSchema); schema != kSchema)
    throw Failure(ErrorCode::bad_request, "The request speaks schema " + std::to_string(schema) +
                                              ", this probe speaks " + std::to_string(kSchema) +
                                              ": take a probe and a threadping of the same build.");
  Request request;
  request.experiment = fields.text("experiment");
  request.mechanism = fields.text("mechanism");
  request.params = parse_params(fields.at("params"));
  request.cpus = parse_threads(fields.at("threads"));
  request.pin = parse_choice<Pin>(fields, "pin", {"thread", Pin::thread}, {"process", Pin::process});
  request.lines = static_cast<std::uint32_t>(fields.count("lines", 1, 65536));
  request.home = parse_home(fields.at("home"));
  request.warmup = parse_warmup(fields.at("warmup"));
  request.windows = parse_windows(fields.at("windows"));
  request.measure_ns = fields.count("measure_ns", 1'000'000, kHour);
  request.bound_ns = fields.count("bound_ns", 1'000'000, 2 * kHour);
  request.patience_ns = fields.count("patience_ns", 1'000'000, kHour);
  request.seed = fields.count("seed", 0, (std::int64_t{1} << 53) - 1);
  fields.refuse_the_rest();
  return request;
}

}  // namespace threadping::message

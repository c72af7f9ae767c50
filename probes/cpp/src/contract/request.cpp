#include "contract/request.hpp"

#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "contract/field.hpp"
#include "failure.hpp"

namespace threadping::contract {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;  // limits as in contract/request.schema.json
constexpr std::int64_t kHighestSchema = 1'000'000;
constexpr std::size_t kMostPings = 64;

std::map<std::string, Param> params_in(const Field& field) {
  using Any = std::numeric_limits<std::int64_t>;
  std::map<std::string, Param> params;
  field.must(field.value().is_object(), "an object");
  for (const auto& [name, param] : field.all()) {
    const bool number = param.value().is_number_integer();
    param.must(number || param.value().is_string(), "a whole number or a text");
    params[name] = number ? Param(param.integer(Any::min(), Any::max())) : param.value().get<std::string>();
  }
  return params;
}

std::vector<std::optional<int>> cpus_of(const Field& threads) {
  threads.must(threads.value().is_array() && !threads.value().empty() && threads.value().size() <= kMostThreads,
               "a list of 1 to " + std::to_string(kMostThreads) + " threads");
  std::vector<std::optional<int>> cpus;
  for (auto& [index, thread] : threads.all())
    cpus.push_back(thread.object([](Field& field) { return field.at("cpu").unless_null(std::mem_fn(&Field::cpu)); }));
  return cpus;
}

platform::CpuSet home_in(const Field& field) {
  field.must(field.value().is_array() && !field.value().empty(), "a list of CPUs or null");
  std::set<int> cpus;
  for (const auto& [index, cpu] : field.all()) cpus.insert(cpu.cpu());
  return {cpus.begin(), cpus.end()};
}

std::vector<std::pair<int, int>> pings_in(const Field& field) {
  field.must(field.value().is_array() && field.value().size() <= kMostPings,
             "a list of at most " + std::to_string(kMostPings) + " pairs of CPUs");
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [index, pair] : field.all()) {
    std::vector<int> cpus;
    pair.must(pair.value().is_array() && pair.value().size() == 2, "two CPUs");
    for (const auto& [end, cpu] : pair.all()) cpus.push_back(cpu.cpu());
    pair.must(cpus.front() != cpus.back(), "two CPUs, not one");
    pairs.emplace_back(cpus.front(), cpus.back());
  }
  return pairs;
}

WarmupRequest warmup_in(Field& field) {
  return {
      .rounds = field.at("rounds").count(0, 1'000'000),
      .ops = field.at("ops").count(1, 1'000'000'000'000),
      .steady = field.at("steady").unless_null(std::mem_fn(&Field::share)),
      .limit_ns = field.at("limit_ns").count(0, kHour),
      .look_ns = field.at("look_ns").count(1, kHour),
      .uninterrupted = field.at("uninterrupted").flag(),
  };
}

WindowsRequest windows_in(Field& field) {
  return {
      .unit = field.at("unit").either<Unit>({"ops", Unit::ops}, {"ns", Unit::ns}),
      .throughput = field.at("throughput").count(1, kHour),
      .sampling = field.at("sampling").count(1, kHour),
      .visits = field.at("visits").count(1, 1000),
      .chunk_ns = field.at("chunk_ns").count(1, 1'000'000'000),
      .clock_share = field.at("clock_share").share(),
  };
}

OutliersRequest outliers_in(Field& field) {
  return {
      .factor = field.at("factor").factor(),
      .least_ns = field.at("least_ns").count(1, kHour),
      .most = field.at("most").count(1, 10'000),
  };
}

Request request_in(Field& field) {
  if (const std::int64_t schema = field.at("schema").integer(1, kHighestSchema); schema != kSchema)
    throw Failure(ErrorCode::bad_request, "The request speaks schema " + std::to_string(schema) +
                                              ", this probe speaks " + std::to_string(kSchema) +
                                              ": take a probe and a threadping of the same build.");
  const std::optional<Field> pings = field.find("pings");
  return {
      .experiment = field.at("experiment").text(),
      .mechanism = field.at("mechanism").text(),
      .params = params_in(field.at("params")),
      .cpus = cpus_of(field.at("threads")),
      .pin = field.at("pin").either<Pin>({"thread", Pin::thread}, {"process", Pin::process}),
      .lines = static_cast<std::uint32_t>(field.at("lines").count(1, 65536)),
      .home = field.at("home").unless_null(home_in),
      .warmup = field.at("warmup").object(warmup_in),
      .windows = field.at("windows").object(windows_in),
      .outliers = field.at("outliers").unless_null([](Field& outliers) { return outliers.object(outliers_in); }),
      .pings = pings ? pings_in(*pings) : std::vector<std::pair<int, int>>{},
      .measure_ns = field.at("measure_ns").count(1'000'000, kHour),
      .bound_ns = field.at("bound_ns").count(1'000'000, 2 * kHour),
      .patience_ns = field.at("patience_ns").count(1'000'000, kHour),
      .seed = field.at("seed").count(0, (std::int64_t{1} << 53) - 1),
  };
}

}  // namespace

platform::CpuSet cpus_named(const Request& request) {
  std::set<int> cpus;
  for (const auto& cpu : request.cpus)
    if (cpu) cpus.insert(*cpu);
  return {cpus.begin(), cpus.end()};
}

Request parse_request(std::string_view text) {
  const Parsed json = parse_once(text, "request");
  return Field(json, "request").object(request_in);
}

}  // namespace threadping::contract

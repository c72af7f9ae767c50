#include "contract/request.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "failure.hpp"

namespace threadping::contract {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kHour = 3'600'000'000'000;  // limits as in contract/request.schema.json
constexpr std::int64_t kHighestCpu = 65535;
constexpr int kHighestFactor = 1'000'000;
constexpr std::int64_t kHighestSchema = 1'000'000;

/// A value of the request, and the path by which a complaint names it. An object is read field by field and then asked
/// whether anything was left over.
class Field {
 public:
  Field(const Json& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[nodiscard]] const Json& value() const { return value_; }

  /// Throws Failure(bad_request) if this does not hold.
  void must(bool holds, const std::string& what) const {
    if (!holds)
      throw Failure(ErrorCode::bad_request,
                    "The request's " + (path_.empty() ? "content" : path_) + " must be " + what + ".");
  }

  /// A field of this object, which must be there.
  Field at(const std::string& name) {
    must(value_.is_object(), "an object");
    const auto found = value_.find(name);
    if (found == value_.end()) throw Failure(ErrorCode::bad_request, "The request's " + path_of(name) + " is missing.");
    read_.insert(name);
    return {*found, path_of(name)};
  }

  /// Refuses an object that holds a field which was not asked for.
  void refuse_the_rest() const {
    for (const auto& [name, value] : value_.items())
      if (!read_.contains(name))
        throw Failure(ErrorCode::bad_request, "The request's field '" + path_of(name) + "' is not known to schema " +
                                                  std::to_string(kSchema) + ".");
  }

  /// Everything in this object or list.
  [[nodiscard]] std::vector<std::pair<std::string, Field>> all() const {
    std::vector<std::pair<std::string, Field>> all;
    for (const auto& [name, value] : value_.items()) all.emplace_back(name, Field(value, path_of(name)));
    return all;
  }

  /// A whole number; neither text nor a fraction will do.
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const std::string what = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    must(value_.is_number_integer(), what);
    const auto number = value_.get<std::int64_t>();
    const bool wrapped = value_.is_number_unsigned() && number < 0;
    must(!wrapped && number >= least && number <= most, what);
    return number;
  }
  [[nodiscard]] std::uint64_t count(std::int64_t least, std::int64_t most) const {
    return static_cast<std::uint64_t>(integer(least, most));
  }
  [[nodiscard]] int cpu() const { return static_cast<int>(integer(0, kHighestCpu)); }

  [[nodiscard]] double share() const {
    must(value_.is_number() && value_ > 0 && value_ <= 1, "a number above 0 and at most 1");
    return value_.get<double>();
  }

  [[nodiscard]] double factor() const {
    must(value_.is_number() && value_ >= 1 && value_ <= kHighestFactor,
         "a number from 1 to " + std::to_string(kHighestFactor));
    return value_.get<double>();
  }

  [[nodiscard]] bool flag() const {
    must(value_.is_boolean(), "true or false");
    return value_.get<bool>();
  }

  [[nodiscard]] std::string text() const {
    must(value_.is_string() && !value_.get_ref<const std::string&>().empty(), "a text");
    return value_.get<std::string>();
  }

  template <class Choice>
  [[nodiscard]] Choice either(const std::pair<const char*, Choice>& one,
                              const std::pair<const char*, Choice>& other) const {
    must(value_ == one.first || value_ == other.first, std::string("'") + one.first + "' or '" + other.first + "'");
    return value_ == one.first ? one.second : other.second;
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  const Json& value_;
  std::string path_;
  std::set<std::string> read_;
};

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
  for (auto& [index, thread] : threads.all()) {
    const Field cpu = thread.at("cpu");
    cpus.push_back(cpu.value().is_null() ? std::nullopt : std::optional(cpu.cpu()));
    thread.refuse_the_rest();
  }
  return cpus;
}

std::optional<platform::CpuSet> home_in(const Field& field) {
  if (field.value().is_null()) return std::nullopt;
  field.must(field.value().is_array() && !field.value().empty(), "a list of CPUs or null");
  std::set<int> cpus;
  for (const auto& [index, cpu] : field.all()) cpus.insert(cpu.cpu());
  return platform::CpuSet(cpus.begin(), cpus.end());
}

std::optional<double> steady_in(const Field& field) {
  return field.value().is_null() ? std::nullopt : std::optional(field.share());
}

WarmupRequest warmup_in(Field field) {
  const WarmupRequest warmup{
      .rounds = field.at("rounds").count(0, 1'000'000),
      .ops = field.at("ops").count(1, 1'000'000'000'000),
      .steady = steady_in(field.at("steady")),
      .limit_ns = field.at("limit_ns").count(0, kHour),
      .look_ns = field.at("look_ns").count(1, kHour),
      .uninterrupted = field.at("uninterrupted").flag(),
  };
  field.refuse_the_rest();
  return warmup;
}

WindowsRequest windows_in(Field field) {
  const WindowsRequest windows{
      .unit = field.at("unit").either<Unit>({"ops", Unit::ops}, {"ns", Unit::ns}),
      .throughput = field.at("throughput").count(1, kHour),
      .sampling = field.at("sampling").count(1, kHour),
      .visits = field.at("visits").count(1, 1000),
      .chunk_ns = field.at("chunk_ns").count(1, 1'000'000'000),
      .clock_share = field.at("clock_share").share(),
  };
  field.refuse_the_rest();
  return windows;
}

std::optional<OutliersRequest> outliers_in(Field field) {
  if (field.value().is_null()) return std::nullopt;
  const OutliersRequest outliers{
      .factor = field.at("factor").factor(),
      .least_ns = field.at("least_ns").count(1, kHour),
      .most = field.at("most").count(1, 10'000),
  };
  field.refuse_the_rest();
  return outliers;
}

}  // namespace

platform::CpuSet cpus_named(const Request& request) {
  std::set<int> cpus;
  for (const auto& cpu : request.cpus)
    if (cpu) cpus.insert(*cpu);
  return {cpus.begin(), cpus.end()};
}

Request parse_request(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Failure(ErrorCode::bad_request, "The request is not JSON.");
  Field field(json, "");
  if (const std::int64_t schema = field.at("schema").integer(1, kHighestSchema); schema != kSchema)
    throw Failure(ErrorCode::bad_request, "The request speaks schema " + std::to_string(schema) +
                                              ", this probe speaks " + std::to_string(kSchema) +
                                              ": take a probe and a threadping of the same build.");
  Request request{
      .experiment = field.at("experiment").text(),
      .mechanism = field.at("mechanism").text(),
      .params = params_in(field.at("params")),
      .cpus = cpus_of(field.at("threads")),
      .pin = field.at("pin").either<Pin>({"thread", Pin::thread}, {"process", Pin::process}),
      .lines = static_cast<std::uint32_t>(field.at("lines").count(1, 65536)),
      .home = home_in(field.at("home")),
      .warmup = warmup_in(field.at("warmup")),
      .windows = windows_in(field.at("windows")),
      .outliers = outliers_in(field.at("outliers")),
      .measure_ns = field.at("measure_ns").count(1'000'000, kHour),
      .bound_ns = field.at("bound_ns").count(1'000'000, 2 * kHour),
      .patience_ns = field.at("patience_ns").count(1'000'000, kHour),
      .seed = field.at("seed").count(0, (std::int64_t{1} << 53) - 1),
  };
  field.refuse_the_rest();
  return request;
}

}  // namespace threadping::contract

#include "contract/request.hpp"

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "failure.hpp"

namespace threadping::contract {
namespace {

using Parsed = nlohmann::ordered_json;  // as result.cpp: one instance for both

constexpr std::int64_t kHour = 3'600'000'000'000;  // limits as in contract/request.schema.json
constexpr std::int64_t kHighestCpu = 65535;
constexpr int kHighestFactor = 1'000'000;
constexpr std::int64_t kHighestSchema = 1'000'000;

/// A value of the request, and the path by which a complaint names it.
class Field {
 public:
  Field(const Parsed& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[nodiscard]] const Parsed& value() const { return value_; }

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

  /// What `read` makes of this object, all of whose fields it must ask for.
  template <class Read>
  auto object(Read read) {
    auto made = read(*this);
    for (const auto& [name, value] : value_.items())
      if (!read_.contains(name))
        throw Failure(ErrorCode::bad_request, "The request's field '" + path_of(name) + "' is not known to schema " +
                                                  std::to_string(kSchema) + ".");
    return made;
  }

  /// What `read` makes of it; nothing of null.
  template <class Read>
  auto unless_null(Read read) {
    return value_.is_null() ? std::nullopt : std::optional(read(*this));
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

  const Parsed& value_;
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
  std::vector<std::set<std::string>> names;  // of the objects that are open
  const auto once = [&names](int /*depth*/, Parsed::parse_event_t event, const Parsed& parsed) {
    if (event == Parsed::parse_event_t::object_start) names.emplace_back();
    if (event == Parsed::parse_event_t::object_end) names.pop_back();
    if (event == Parsed::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      throw Failure(ErrorCode::bad_request, "The request names '" + parsed.get<std::string>() + "' twice.");
    return true;
  };
  const Parsed json = Parsed::parse(text, once, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Failure(ErrorCode::bad_request, "The request is not JSON.");
  return Field(json, "").object(request_in);
}

}  // namespace threadping::contract

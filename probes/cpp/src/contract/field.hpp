#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/request.hpp"
#include "failure.hpp"

namespace threadping::contract {

using Parsed = nlohmann::ordered_json;  // as result.cpp: one instance for all

/// Reads a message, in which each name appears once. Throws Failure(bad_request) where that is not so, or where it is
/// no JSON; `whose` is what it calls the message.
inline Parsed parse_once(std::string_view text, const std::string& whose) {
  std::vector<std::set<std::string>> names;  // of the objects that are open
  const auto once = [&](int /*depth*/, Parsed::parse_event_t event, const Parsed& parsed) {
    if (event == Parsed::parse_event_t::object_start) names.emplace_back();
    if (event == Parsed::parse_event_t::object_end) names.pop_back();
    if (event == Parsed::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      throw Failure(ErrorCode::bad_request, "The " + whose + " names '" + parsed.get<std::string>() + "' twice.");
    return true;
  };
  Parsed json = Parsed::parse(text, once, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Failure(ErrorCode::bad_request, "The " + whose + " is not JSON.");
  return json;
}

/// A value of a message, and the path by which a complaint names it.
class Field {
 public:
  Field(const Parsed& value, std::string whose, std::string path = "")
      : value_(value), whose_(std::move(whose)), path_(std::move(path)) {}

  [[nodiscard]] const Parsed& value() const { return value_; }

  /// Throws Failure(bad_request) if this does not hold.
  void must(bool holds, const std::string& what) const {
    if (!holds)
      throw Failure(ErrorCode::bad_request,
                    "The " + whose_ + "'s " + (path_.empty() ? "content" : path_) + " must be " + what + ".");
  }

  /// A field of this object, which must be there.
  Field at(const std::string& name) {
    must(value_.is_object(), "an object");
    const auto found = value_.find(name);
    if (found == value_.end())
      throw Failure(ErrorCode::bad_request, "The " + whose_ + "'s " + path_of(name) + " is missing.");
    read_.insert(name);
    return {*found, whose_, path_of(name)};
  }

  /// Like at(), for a field that may be missing, or null.
  std::optional<Field> find(const std::string& name) {
    must(value_.is_object(), "an object");
    if (!value_.contains(name)) return std::nullopt;
    Field found = at(name);
    return found.value().is_null() ? std::nullopt : std::optional(std::move(found));
  }

  /// What `read` makes of this object, all of whose fields it must ask for.
  template <class Read>
  auto object(Read read) {
    auto made = read(*this);
    for (const auto& [name, value] : value_.items())
      if (!read_.contains(name))
        throw Failure(ErrorCode::bad_request, "The " + whose_ + "'s field '" + path_of(name) +
                                                  "' is not known to schema " + std::to_string(kSchema) + ".");
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
    for (const auto& [name, value] : value_.items()) all.emplace_back(name, Field(value, whose_, path_of(name)));
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

  [[nodiscard]] std::string text() const { return view(); }
  /// As long as the message lives.
  [[nodiscard]] const std::string& view() const {
    must(value_.is_string() && !value_.get_ref<const std::string&>().empty(), "a text");
    return value_.get_ref<const std::string&>();
  }

  template <class Choice>
  [[nodiscard]] Choice either(const std::pair<const char*, Choice>& one,
                              const std::pair<const char*, Choice>& other) const {
    must(value_ == one.first || value_ == other.first, std::string("'") + one.first + "' or '" + other.first + "'");
    return value_ == one.first ? one.second : other.second;
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  static constexpr std::int64_t kHighestCpu = 65535;
  static constexpr int kHighestFactor = 1'000'000;

  const Parsed& value_;
  std::string whose_;
  std::string path_;
  std::set<std::string> read_;
};

}  // namespace threadping::contract

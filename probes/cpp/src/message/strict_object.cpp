#include "message/strict_object.hpp"

#include <utility>

#include "failure.hpp"
#include "message/schema.hpp"

namespace threadping::message {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Failure(ErrorCode::bad_request, "The request's " + path + " " + what + ".");
}

}  // namespace

std::int64_t integer_within(const nlohmann::json& value, const std::string& path, std::int64_t least,
                            std::int64_t most) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  if (!value.is_number_integer()) refuse(path, "must be a whole number from " + range);
  const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (beyond || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse(path, "must be from " + range);
  return value.get<std::int64_t>();
}

StrictObject::StrictObject(const nlohmann::json& value, std::string path) : object_(value), path_(std::move(path)) {
  if (!object_.is_object()) refuse(path_.empty() ? "content" : path_, "must be an object");
}

std::string StrictObject::path_of(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

const nlohmann::json& StrictObject::at(const std::string& name) {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(path_of(name), "is missing");
  read_.insert(name);
  return *found;
}

std::int64_t StrictObject::integer(const std::string& name, std::int64_t least, std::int64_t most) {
  return integer_within(at(name), path_of(name), least, most);
}

double StrictObject::share(const std::string& name) {
  const nlohmann::json& value = at(name);
  if (!value.is_number() || value.get<double>() <= 0 || value.get<double>() > 1)
    refuse(path_of(name), "must be a number above 0 and at most 1");
  return value.get<double>();
}

bool StrictObject::flag(const std::string& name) {
  const nlohmann::json& value = at(name);
  if (!value.is_boolean()) refuse(path_of(name), "must be true or false");
  return value.get<bool>();
}

std::string StrictObject::text(const std::string& name) {
  const nlohmann::json& value = at(name);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) refuse(path_of(name), "must be a text");
  return value.get<std::string>();
}

void StrictObject::refuse_the_rest() const {
  for (const auto& [name, value] : object_.items())
    if (!read_.contains(name))
      refuse("field '" + path_of(name) + "'", "is not known to schema " + std::to_string(kSchema));
}

}  // namespace threadping::message

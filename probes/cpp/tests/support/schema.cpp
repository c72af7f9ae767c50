#include "support/schema.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "support/files.hpp"

namespace threadping::tests {
namespace {

using Json = nlohmann::json;

/// Unicode characters, not bytes.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

bool is_of(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type;
}

std::string below(std::string path, const std::string& name) {
  path += '/';
  path += name;
  return path;
}

// NOLINTBEGIN(misc-no-recursion): schemas and messages are trees, and the contract's are shallow
class Validator {
 public:
  explicit Validator(Json root) : root_(std::move(root)) {}

  std::vector<std::string> check(const Json& value) {
    check(value, root_, "");
    return std::move(found_);
  }

 private:
  void complain(const std::string& path, const std::string& what) {
    found_.push_back((path.empty() ? "message" : path) + " " + what);
  }

  void check(const Json& value, const Json& schema, const std::string& path) {
    for (const auto& [keyword, rule] : schema.items()) check(value, schema, keyword, rule, path);
  }

  void check(const Json& value, const Json& schema, const std::string& keyword, const Json& rule,
             const std::string& path) {
    static const std::set<std::string> kSaysNothing{"$schema", "$id", "$defs", "title", "description"};
    if (kSaysNothing.contains(keyword)) return;
    if (keyword == "$ref")
      check(value, root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), path);
    else if (keyword == "type")
      check_type(value, rule, path);
    else if (keyword == "const")
      expect(value == rule, path, "is not " + rule.dump());
    else if (keyword == "enum")
      expect(std::ranges::find(rule, value) != rule.end(), path, "is none of " + rule.dump());
    else if (keyword == "oneOf")
      check_one_of(value, rule, path);
    else if (keyword == "required")
      check_required(value, rule, path);
    else if (keyword == "properties")
      check_properties(value, rule, path);
    else if (keyword == "additionalProperties")
      check_additional(value, schema, rule, path);
    else if (keyword == "items")
      check_items(value, rule, path);
    else if (keyword == "minItems")
      expect(!value.is_array() || value.size() >= rule, path, "is too short");
    else if (keyword == "maxItems")
      expect(!value.is_array() || value.size() <= rule, path, "is too long");
    else if (keyword == "minLength")
      expect(!value.is_string() || length_of(value) >= rule, path, "is too short");
    else if (keyword == "minimum")
      expect(!value.is_number() || value >= rule, path, "is below " + rule.dump());
    else if (keyword == "exclusiveMinimum")
      expect(!value.is_number() || value > rule, path, "is not above " + rule.dump());
    else if (keyword == "maximum")
      expect(!value.is_number() || value <= rule, path, "is above " + rule.dump());
    else
      throw std::logic_error("the schema's keyword " + keyword + " is not known here");
  }

  void expect(bool fine, const std::string& path, const std::string& otherwise) {
    if (!fine) complain(path, otherwise);
  }

  void check_type(const Json& value, const Json& types, const std::string& path) {
    const Json all = types.is_array() ? types : Json::array({types});
    expect(std::ranges::any_of(all, [&](const Json& type) { return is_of(value, type); }), path,
           "is not of type " + types.dump());
  }

  void check_one_of(const Json& value, const Json& choices, const std::string& path) {
    const auto fitting =
        std::ranges::count_if(choices, [&](const Json& choice) { return branch(value, choice, path).empty(); });
    if (fitting == 1) return;
    complain(path, "fits " + std::to_string(fitting) + " of the forms it may have");
    for (const Json& choice : choices)
      for (const std::string& complaint : branch(value, choice, path)) found_.push_back(complaint);
  }

  std::vector<std::string> branch(const Json& value, const Json& choice, const std::string& path) {
    Validator inner(root_);
    inner.check(value, choice, path);
    return inner.found_;
  }

  void check_required(const Json& value, const Json& names, const std::string& path) {
    if (!value.is_object()) return;
    for (const std::string name : names) expect(value.contains(name), below(path, name), "is missing");
  }

  void check_properties(const Json& value, const Json& properties, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& [name, rule] : properties.items())
      if (value.contains(name)) check(value.at(name), rule, below(path, name));
  }

  void check_additional(const Json& value, const Json& schema, const Json& rule, const std::string& path) {
    if (!value.is_object()) return;
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, field] : value.items()) {
      if (known.contains(name)) continue;
      if (rule.is_object())
        check(field, rule, below(path, name));
      else
        expect(rule != false, below(path, name), "is not known");
    }
  }

  void check_items(const Json& value, const Json& rule, const std::string& path) {
    if (!value.is_array()) return;
    for (std::size_t index = 0; index < value.size(); ++index)
      check(value[index], rule, below(path, std::to_string(index)));
  }

  Json root_;
  std::vector<std::string> found_;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

std::vector<std::string> complaints(std::string_view message, std::string_view schema) {
  const Json value = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return {"message is not JSON"};
  const auto file = std::filesystem::path(THREADPING_CONTRACT) / (std::string(schema) + ".schema.json");
  return Validator(Json::parse(read_file(file))).check(value);
}

}  // namespace threadping::tests

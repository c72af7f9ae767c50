#include "support/schema.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "support/files.hpp"

namespace threadping::tests {
namespace {

using Json = nlohmann::json;
using Complaints = std::vector<std::string>;

/// Unicode characters, not bytes.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

bool is_of(const Json& value, const Json& type) {
  if (type.is_array()) return std::ranges::any_of(type, [&](const Json& one) { return is_of(value, one); });
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type;
}

/// What a keyword that looks at nothing inside a value demands of it; each holds for values of other types.
using Holds = bool (*)(const Json& value, const Json& rule);
const std::map<std::string, Holds>& simple_keywords() {
  static const std::map<std::string, Holds> all{
      {"type", is_of},
      {"const", [](const Json& value, const Json& rule) { return value == rule; }},
      {"enum", [](const Json& value, const Json& rule) { return std::ranges::find(rule, value) != rule.end(); }},
      {"minItems", [](const Json& value, const Json& rule) { return !value.is_array() || value.size() >= rule; }},
      {"maxItems", [](const Json& value, const Json& rule) { return !value.is_array() || value.size() <= rule; }},
      {"minLength", [](const Json& value, const Json& rule) { return !value.is_string() || length_of(value) >= rule; }},
      {"minimum", [](const Json& value, const Json& rule) { return !value.is_number() || value >= rule; }},
      {"exclusiveMinimum", [](const Json& value, const Json& rule) { return !value.is_number() || value > rule; }},
      {"maximum", [](const Json& value, const Json& rule) { return !value.is_number() || value <= rule; }},
      {"required",
       [](const Json& value, const Json& rule) {
         return std::ranges::all_of(rule, [&](const Json& name) { return !value.is_object() || value.contains(name); });
       }},
  };
  return all;
}

bool says_nothing(const std::string& keyword) {
  return keyword.starts_with('$') || keyword == "title" || keyword == "description";
}

/// Complaints about a value at `path` by a schema that is a part of `root`.
Complaints check(const Json& value, const Json& schema, const Json& root, const std::string& path) {
  Complaints found;
  const auto go_on = [&](const Json& part, const Json& rule, const std::string& where) {
    std::ranges::move(check(part, rule, root, where), std::back_inserter(found));
  };
  for (const auto& [keyword, rule] : schema.items()) {
    if (const auto simple = simple_keywords().find(keyword); simple != simple_keywords().end()) {
      if (!simple->second(value, rule)) found.push_back(path + " breaks " + keyword + " " + rule.dump());
    } else if (keyword == "$ref") {
      go_on(value, root.at(Json::json_pointer(rule.get<std::string>().substr(1))), path);
    } else if (keyword == "oneOf") {
      const auto fits = [&](const Json& choice) { return check(value, choice, root, path).empty(); };
      if (std::ranges::count_if(rule, fits) == 1) continue;
      found.push_back(path + " does not fit one of the forms that it may have");
      for (const Json& choice : rule) go_on(value, choice, path);
    } else if (keyword == "items") {
      for (std::size_t index = 0; value.is_array() && index < value.size(); ++index)
        go_on(value[index], rule, path + "/" + std::to_string(index));
    } else if (keyword == "properties" || keyword == "additionalProperties") {
      if (!value.is_object()) continue;
      const Json known = schema.value("properties", Json::object());
      for (const auto& [name, field] : value.items()) {
        if (known.contains(name) != (keyword == "properties")) continue;
        if (keyword == "properties" || rule.is_object())
          go_on(field, keyword == "properties" ? rule.at(name) : rule, path + "/" + name);
        else if (rule == false)
          found.push_back(path + "/" + name + " is not known");
      }
    } else if (!says_nothing(keyword)) {
      throw std::logic_error("the schema's keyword " + keyword + " is not known here");
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> complaints(std::string_view message, std::string_view schema) {
  const Json value = Json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return {"message is not JSON"};
  const auto file = std::filesystem::path(THREADPING_CONTRACT) / (std::string(schema) + ".schema.json");
  const Json root = Json::parse(read_file(file));
  return check(value, root, root, "message");
}

}  // namespace threadping::tests

#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace threadping::contract {

/// A value of a message that is written, as its text. What is read has a library's (field.hpp), whose templates take
/// longer to compile than all that we write. A type of ours is a value by its own json_of().
class Json {
 public:
  /// One of an object's; they are written in their order.
  struct Member;

  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions,misc-explicit-constructor): values are written
  // as they are
  Json(std::nullptr_t /*none*/) : text_("null") {}
  template <std::same_as<bool> Flag>
  Json(Flag flag) : text_(flag ? "true" : "false") {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  Json(Number number) : text_(std::to_string(number)) {}
  Json(double number);
  template <std::convertible_to<std::string_view> Text>
  Json(const Text& text) : text_(quoted(text)) {}
  Json(std::initializer_list<Member> members);

  template <std::ranges::input_range List>
    requires(!std::convertible_to<List, std::string_view>)
  Json(const List& list) : text_("[") {
    for (const std::ranges::range_value_t<List>& each : list) join(Json(each).text_);
    text_ += ']';
  }
  template <class Value>
  Json(const std::map<std::string, Value>& values) : text_("{") {
    for (const auto& [name, value] : values) join(quoted(name) + ':' + Json(value).text_);
    text_ += '}';
  }
  template <class Value>
  Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json(nullptr)) {}
  template <class Own>
    requires requires(const Own& own) {
      { json_of(own) } -> std::same_as<Json>;
    }
  Json(const Own& own) : Json(json_of(own)) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions,misc-explicit-constructor)

  /// What was written before.
  static Json written(std::string text) {
    Json json(nullptr);
    json.text_ = std::move(text);
    return json;
  }

  /// One more member of this object.
  void add(std::string_view name, const Json& value);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// In quotes. A byte that is of no character in UTF-8 becomes U+FFFD.
  static std::string quoted(std::string_view text);

  /// One more part of this list or object, which is still open.
  void join(std::string_view part);

  std::string text_;
};

struct Json::Member {
  std::string_view name;
  Json value;
};

}  // namespace threadping::contract

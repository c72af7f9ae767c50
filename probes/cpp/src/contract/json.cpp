#include "contract/json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace threadping::contract {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool within(std::string_view text, std::size_t at, unsigned least, unsigned most) {
  const unsigned byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  return least <= byte && byte <= most;
}

/// The bytes of the character with which this text begins; 0 where it begins with none (Unicode, table 3-7).
std::size_t length_of_first(std::string_view text) {
  constexpr unsigned kLeast = 0x80;  // of the bytes that follow the first
  constexpr unsigned kMost = 0xBF;
  struct Form {
    unsigned from, to;                      // the first byte
    std::size_t length;                     // of the character
    unsigned least = kLeast, most = kMost;  // the second byte
  };
  constexpr std::array<Form, 9> kForms{{
      {.from = 0x00, .to = 0x7F, .length = 1},
      {.from = 0xC2, .to = 0xDF, .length = 2},
      {.from = 0xE0, .to = 0xE0, .length = 3, .least = 0xA0},
      {.from = 0xE1, .to = 0xEC, .length = 3},
      {.from = 0xED, .to = 0xED, .length = 3, .most = 0x9F},
      {.from = 0xEE, .to = 0xEF, .length = 3},
      {.from = 0xF0, .to = 0xF0, .length = 4, .least = 0x90},
      {.from = 0xF1, .to = 0xF3, .length = 4},
      {.from = 0xF4, .to = 0xF4, .length = 4, .most = 0x8F},
  }};
  for (const Form& form : kForms) {
    if (!within(text, 0, form.from, form.to)) continue;
    if (form.length > 1 && !within(text, 1, form.least, form.most)) return 0;
    for (std::size_t at = 2; at < form.length; ++at)
      if (!within(text, at, kLeast, kMost)) return 0;
    return form.length;
  }
  return 0;
}

/// How a character of one byte is written.
std::string escaped(char character) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  constexpr char kFirstPrinted = ' ';
  if (const auto at = kEscaped.find(character); at != std::string_view::npos) return {'\\', kLetters[at]};
  if (character >= kFirstPrinted) return {character};
  std::array<char, sizeof "\\u0000"> unit{};
  std::snprintf(unit.data(), unit.size(), "\\u%04x", static_cast<unsigned>(character));
  return unit.data();
}

}  // namespace

/// The fewest digits that are this number; with a fraction, so that it is read as a number that may have one.
Json::Json(double number) : text_("null") {
  if (!std::isfinite(number)) return;
  std::array<char, 32> digits{};
  text_.assign(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
}

Json::Json(std::initializer_list<Member> members) : text_("{") {
  for (const Member& member : members) join(quoted(member.name) + ':' + member.value.text_);
  text_ += '}';
}

void Json::add(std::string_view name, const Json& value) {
  text_.pop_back();
  join(quoted(name) + ':' + value.text_);
  text_ += '}';
}

std::string Json::quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = length_of_first(text);
    if (length == 1)
      quoted += escaped(text.front());
    else
      quoted += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + '"';
}

void Json::join(std::string_view part) {
  if (text_.size() > 1) text_ += ',';
  text_ += part;
}

}  // namespace threadping::contract

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace threadping::message {

/// A JSON object that is read field by field and then asked whether anything was left over. Every complaint is a
/// Failure(bad_request) that names the field by its path.
class StrictObject {
 public:
  StrictObject(const nlohmann::json& value, std::string path);

  /// The field, which must be there.
  const nlohmann::json& at(const std::string& name);

  /// A whole number within [least, most]; neither text nor a fraction will do.
  std::int64_t integer(const std::string& name, std::int64_t least, std::int64_t most);

  /// The same, of a number that is not negative.
  std::uint64_t count(const std::string& name, std::int64_t least, std::int64_t most) {
    return static_cast<std::uint64_t>(integer(name, least, most));
  }

  /// A number above 0 and at most 1.
  double share(const std::string& name);

  /// true or false.
  bool flag(const std::string& name);

  /// A text that is not empty.
  std::string text(const std::string& name);

  /// Refuses the object if it holds a field that was not asked for.
  void refuse_the_rest() const;

  [[nodiscard]] std::string path_of(const std::string& name) const;

 private:
  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string> read_;
};

/// The value as a whole number within [least, most].
std::int64_t integer_within(const nlohmann::json& value, const std::string& path, std::int64_t least,
                            std::int64_t most);

}  // namespace threadping::message

#include "message/lock_result.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace threadping::message {

std::string to_json(const LockResult& result) {
  nlohmann::ordered_json message = common_json(result, "lock");
  message["windows"] = nlohmann::ordered_json::array();
  for (const Window& window : result.windows)
    message["windows"].push_back(
        {{"line", window.line}, {"sampled", window.sampled}, {"ns", window.ns}, {"ops", window.ops}});
  message["sampling"] = {{"every", result.sample_every}};
  message["waits"] = json_of(result.waits);
  message["counter"] = {{"exact", result.exact}, {"made", result.made}, {"found", result.found}};
  return message.dump();
}

}  // namespace threadping::message
